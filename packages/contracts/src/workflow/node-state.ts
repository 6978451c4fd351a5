import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { RESOURCES } from '../nodes/definition.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'
import { NODE_STATUSES } from './status.js'

export const NodeError = z
  .object({
    type: z.string(),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    trace: z.string().nullable(),
  })
  .meta({ id: 'NodeError' })
export type NodeError = z.infer<typeof NodeError>

export const OutputSummary = z
  .object({
    type: z.string(),
    summary: z.string(),
    summary_phrases: phrasesOf('summary'),
    digest: z.string(),
    files: z.array(z.string()).optional().meta({
      description: 'Full paths of the output files on the machine of the service; absent: none',
    }),
  })
  .meta({ id: 'OutputSummary' })
export type OutputSummary = z.infer<typeof OutputSummary>

export const NodeState = z
  .object({
    status: z.enum(NODE_STATUSES),
    reason: z.string().nullable(),
    reason_phrases: phrasesOf('reason'),
    progress: z.number().min(0).max(1),
    message: z.string().nullable(),
    message_phrases: phrasesOf('message'),
    error: NodeError.nullable(),
    queued_at: Timestamp.optional().meta({
      description: 'Time at which all inputs were available and the node was queued; absent: not yet',
    }),
    waits_for: z.enum(RESOURCES).optional().meta({
      description: 'Resource that the queued node waits for; absent: the node is not waiting',
    }),
    started_at: Timestamp.nullable().meta({
      description: 'Start time; null: not started, or the result was reused',
    }),
    ended_at: Timestamp.optional().meta({
      description: 'End time (completed, failed or canceled); absent: not ended, or never started',
    }),
    duration: z.number().nullable().meta({ description: 'Seconds' }),
    job_id: z.uuid().optional(),
    outputs: z.record(z.string(), OutputSummary),
    warnings: z.array(Warning).optional().meta({
      description: 'Warnings of the node, also for a cached result; absent: none',
    }),
  })
  .meta({ id: 'NodeState' })
export type NodeState = z.infer<typeof NodeState>
