import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { RESOURCES } from '../nodes/definition.js'
import { Timestamp } from '../timestamp.js'
import { NODE_STATUSES } from './status.js'

export const NodeError = z
  .object({ type: z.string(), message: z.string(), trace: z.string().nullable() })
  .meta({ id: 'NodeError' })
export type NodeError = z.infer<typeof NodeError>

export const OutputSummary = z
  .object({
    type: z.string(),
    summary: z.string(),
    digest: z.string(),
    files: z.array(z.string()).optional().meta({
      description: 'Full paths of the files that it left on the machine of the service; absent: none',
    }),
  })
  .meta({ id: 'OutputSummary' })
export type OutputSummary = z.infer<typeof OutputSummary>

export const NodeState = z
  .object({
    status: z.enum(NODE_STATUSES),
    reason: z.string().nullable(),
    progress: z.number().min(0).max(1),
    message: z.string().nullable(),
    error: NodeError.nullable(),
    queued_at: Timestamp.optional().meta({
      description: 'When its inputs were there: from then on it waited for its turn. Absent: not yet',
    }),
    waits_for: z.enum(RESOURCES).optional().meta({
      description: 'The resource that others use meanwhile, while it waits for its turn. Absent: it does not',
    }),
    started_at: Timestamp.nullable().meta({
      description: 'When its work began; null: it has not, or its result was reused',
    }),
    ended_at: Timestamp.optional().meta({
      description:
        'When it had a result or failed, or was given up. Absent: not yet, or it never was its turn',
    }),
    duration: z.number().nullable().meta({ description: 'Seconds' }),
    job_id: z.uuid().optional(),
    outputs: z.record(z.string(), OutputSummary),
    warnings: z.array(Warning).optional().meta({
      description: 'What its work warned of, also when the result came from the cache; absent: nothing',
    }),
  })
  .meta({ id: 'NodeState' })
export type NodeState = z.infer<typeof NodeState>
