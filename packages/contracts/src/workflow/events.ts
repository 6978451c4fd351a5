import { z } from 'zod'
import { openCode, type WarningCode } from '../codes/index.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'
import { NodeState, OutputSummary } from './node-state.js'
import { WorkflowStatus } from './runs.js'
import { RUN_STATUSES } from './status.js'

const delta = { workflow_id: z.uuid(), run_id: z.uuid(), seq: z.int().min(1), timestamp: Timestamp }

/** Messages on /ws/workflow/{workflow_id}: one snapshot, followed by changes. */
export const WorkflowMessage = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('snapshot'),
        workflow_id: z.uuid(),
        seq: z.int().min(0),
        timestamp: Timestamp,
        state: WorkflowStatus,
      })
      .meta({ description: 'Latest run with the state of each node' }),
    z
      .object({ type: z.literal('node_status'), ...delta, node: z.string(), state: NodeState })
      .meta({ description: 'The state of a node changed' }),
    z
      .object({
        type: z.literal('progress'),
        ...delta,
        node: z.string().nullable().meta({ description: 'null: the whole run' }),
        progress: z.number().min(0).max(1),
        message: z.string().nullable(),
        message_phrases: phrasesOf('message'),
      })
      .meta({ description: 'Progress of a node or of the whole run, from 0 to 1' }),
    z
      .object({
        type: z.literal('log'),
        ...delta,
        node: z.string().nullable(),
        level: z.enum(['info', 'warning']),
        code: openCode<WarningCode>('Code of a warning').optional(),
        message: z.string(),
      })
      .meta({ description: 'Log line, or warning with its code' }),
    z
      .object({
        type: z.literal('artifact'),
        ...delta,
        node: z.string(),
        port: z.string(),
        output: OutputSummary,
      })
      .meta({ description: 'A node has a result at this port' }),
    z
      .object({
        type: z.literal('run_status'),
        ...delta,
        status: z.enum(RUN_STATUSES),
        reason: z.string().nullable(),
        reason_phrases: phrasesOf('reason'),
      })
      .meta({ description: 'The status of the run changed' }),
  ])
  .meta({ id: 'WorkflowMessage' })
export type WorkflowMessage = z.infer<typeof WorkflowMessage>
