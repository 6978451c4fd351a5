import { z } from 'zod'
import { owner } from '../people/users.js'
import { PHRASES } from '../phrases/index.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'
import { NodeState } from './node-state.js'
import { Workflow } from './saved-workflow.js'
import { NODE_STATUSES, RUN_STATUSES } from './status.js'

/** Runs of a workflow: requests and responses of the run endpoints. */
const nodeIds = z.array(z.string().min(1).max(200)).max(20_000)
const address = { workflow_id: z.uuid() }

export const ExecuteRequest = z
  .strictObject({
    targets: nodeIds
      .min(1, { error: PHRASES.no_targets })
      .optional()
      .meta({ title: 'Nodes to compute. Default: all' }),
    force: nodeIds.optional().meta({ title: 'Nodes to run again even if their results are cached' }),
    dry_run: z.boolean().default(false).meta({ title: 'Return the plan without running it' }),
    from_run: z.uuid().optional().meta({ title: 'Run to resume' }),
  })
  .meta({ id: 'ExecuteRequest' })

export const PlanRequest = ExecuteRequest.omit({ dry_run: true }).meta({ id: 'PlanRequest' })

const run = { ...address, run_id: z.uuid(), status: z.enum(RUN_STATUSES) }

export const RunResponse = z
  .object(run)
  .meta({ id: 'RunResponse', description: 'Response of execute and cancel' })

export const WorkflowStatus = z
  .object({
    ...address,
    run_id: z.uuid().nullable().meta({ description: 'Latest run; null without runs' }),
    status: z.enum(RUN_STATUSES),
    progress: z.number().min(0).max(1),
    nodes: z.record(z.string(), NodeState),
  })
  .meta({ id: 'WorkflowStatus' })
export type WorkflowStatus = z.infer<typeof WorkflowStatus>

export const RunRecord = z
  .object({
    ...run,
    revision: z.int().meta({ description: 'Revision of the workflow that ran' }),
    reason: z.string().nullable(),
    reason_phrases: phrasesOf('reason'),
    targets: nodeIds.nullable().meta({ description: 'null: all nodes' }),
    force: nodeIds,
    from_run: z.uuid().nullable().meta({ description: 'Run that this run resumed' }),
    owner,
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
    counts: z.record(z.enum(NODE_STATUSES), z.int()).meta({ description: 'Number of nodes per status' }),
  })
  .meta({ id: 'RunRecord' })
export type RunRecord = z.infer<typeof RunRecord>

export const WorkflowRun = RunRecord.extend({
  progress: z.number().min(0).max(1),
  workflow: Workflow.meta({ description: 'Workflow as it ran' }),
  nodes: z.record(z.string(), NodeState).meta({ description: 'State of each node, with times' }),
}).meta({ id: 'WorkflowRun' })
export type WorkflowRun = z.infer<typeof WorkflowRun>

export const WorkflowRunLog = z
  .object({
    ...run,
    lines: z.array(z.object({ time: Timestamp, message: z.string() })),
    truncated: z.boolean().meta({ description: 'Whether there are earlier messages' }),
  })
  .meta({ id: 'WorkflowRunLog' })
export type WorkflowRunLog = z.infer<typeof WorkflowRunLog>
