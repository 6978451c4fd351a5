import { z } from 'zod'
import { ErrorIssue, openCode, Warning, type WarningCode } from '../codes/index.js'
import { Timestamp } from '../jobs/job.js'
import { Workflow } from './saved-workflow.js'

/** Runs of a workflow: states and transitions, and what the workflow endpoints take and answer. */

export const NODE_STATUSES = ['pending', 'running', 'success', 'error', 'skipped', 'cached'] as const
export type NodeStatus = (typeof NODE_STATUSES)[number]

/** Every transition of a node within one run. running → skipped is a node whose run was cancelled. */
export const NODE_TRANSITIONS = {
  pending: ['cached', 'running', 'skipped'],
  running: ['success', 'error', 'skipped'],
  success: [],
  error: [],
  skipped: [],
  cached: [],
} as const satisfies Record<NodeStatus, readonly NodeStatus[]>

export const RUN_STATUSES = ['pending', 'running', 'success', 'error', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const RUN_TRANSITIONS = {
  pending: ['running', 'cancelled'],
  running: ['success', 'error', 'cancelled'],
  success: [],
  error: [],
  cancelled: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>

export function nodeCanBecome(from: NodeStatus, to: NodeStatus): boolean {
  return (NODE_TRANSITIONS[from] as readonly NodeStatus[]).includes(to)
}

export function runCanBecome(from: RunStatus, to: RunStatus): boolean {
  return (RUN_TRANSITIONS[from] as readonly RunStatus[]).includes(to)
}

export const WorkflowIssue = ErrorIssue.extend({
  severity: z.enum(['error', 'warning']),
  node: z.string().optional().meta({ description: 'Identifier of the node' }),
  connection: z.string().optional().meta({ description: 'Identifier of the connection' }),
  port: z.string().optional(),
  field: z.string().optional().meta({ description: 'Field of the config' }),
  cycle: z
    .array(z.string())
    .optional()
    .meta({ description: 'Nodes along the cycle; the first stands last again' }),
}).meta({ id: 'WorkflowIssue' })
export type WorkflowIssue = z.infer<typeof WorkflowIssue>

const nodeIds = z.array(z.string().min(1).max(200)).max(20_000)
const address = { workflow_id: z.uuid() }

export const CreateWorkflowRequest = z
  .looseObject({ name: z.string().min(1).max(200).optional() })
  .meta({ id: 'CreateWorkflowRequest', description: 'A saved workflow, or {name} for an empty one' })

export const UpdateWorkflowRequest = z
  .looseObject({
    revision: z
      .int()
      .min(1)
      .optional()
      .meta({ title: 'Revision that was read; absent: the newest is replaced' }),
  })
  .meta({ id: 'UpdateWorkflowRequest', description: 'A saved workflow and the revision that it changes' })

export const WorkflowResponse = z
  .object({ ...address, revision: z.int(), workflow: Workflow, issues: z.array(WorkflowIssue) })
  .meta({ id: 'WorkflowResponse' })
export type WorkflowResponse = z.infer<typeof WorkflowResponse>

export const ExecuteRequest = z
  .strictObject({
    targets: nodeIds
      .refine((ids) => ids.length > 0, {
        message: 'no node is named, so nothing would run',
        params: { hint: 'Leave "targets" out to run every node.' },
      })
      .optional()
      .meta({ title: 'Nodes to compute; absent: all' }),
    force: nodeIds.optional().meta({ title: 'Nodes to run again although their results are cached' }),
    dry_run: z.boolean().default(false).meta({ title: 'Answer the plan and run nothing' }),
    from_run: z.uuid().optional().meta({ title: 'Run to resume' }),
  })
  .meta({ id: 'ExecuteRequest' })

export const PlanRequest = ExecuteRequest.omit({ dry_run: true }).meta({ id: 'PlanRequest' })

/** What a plan intends with a node. */
export const PLAN_ACTIONS = ['run', 'reuse', 'skip'] as const

/** Why: what changed since the last time, or why nothing is to be done. */
export const PLAN_REASONS = {
  cached: 'the result is cached',
  forced: 'asked for by hand',
  never_run: 'has not run before',
  config_changed: 'the configuration changed',
  implementation_changed: 'the node itself is newer than its result',
  input_changed: 'an input changed',
  source_changed: 'what it reads from outside changed',
  not_cached: 'the result is no longer cached',
  upstream_runs: 'waits for nodes that run; reused if their results turn out unchanged',
  source_unknown: 'what it reads from outside is not known yet',
  not_needed: 'no target needs it',
} as const
export type PlanReason = keyof typeof PLAN_REASONS

export const PlanStep = z
  .object({
    node: z.string(),
    action: z.enum(PLAN_ACTIONS),
    reason: z.enum(Object.keys(PLAN_REASONS) as [PlanReason]),
    message: z.string(),
  })
  .meta({ id: 'PlanStep' })
export type PlanStep = z.infer<typeof PlanStep>

export const WorkflowPlan = z
  .object({ ...address, steps: z.array(PlanStep), counts: z.record(z.enum(PLAN_ACTIONS), z.int()) })
  .meta({ id: 'WorkflowPlan' })

export const NodeError = z
  .object({ type: z.string(), message: z.string(), trace: z.string().nullable() })
  .meta({ id: 'NodeError' })
export type NodeError = z.infer<typeof NodeError>

export const OutputSummary = z
  .object({ type: z.string(), summary: z.string(), digest: z.string() })
  .meta({ id: 'OutputSummary' })
export type OutputSummary = z.infer<typeof OutputSummary>

export const NodeState = z
  .object({
    status: z.enum(NODE_STATUSES),
    reason: z.string().nullable(),
    progress: z.number().min(0).max(1),
    message: z.string().nullable(),
    error: NodeError.nullable(),
    started_at: Timestamp.nullable(),
    duration: z.number().nullable().meta({ description: 'Seconds' }),
    job_id: z.uuid().optional(),
    outputs: z.record(z.string(), OutputSummary),
    warnings: z.array(Warning).optional().meta({
      description: 'What its work warned of, also when the result came from the cache; absent: nothing',
    }),
  })
  .meta({ id: 'NodeState' })
export type NodeState = z.infer<typeof NodeState>

const run = { ...address, run_id: z.uuid(), status: z.enum(RUN_STATUSES) }

export const RunResponse = z
  .object(run)
  .meta({ id: 'RunResponse', description: 'Answer of execute and cancel' })

export const WorkflowStatus = z
  .object({
    ...address,
    run_id: z.uuid().nullable().meta({ description: 'The latest run; null when there was none' }),
    status: z.enum(RUN_STATUSES),
    progress: z.number().min(0).max(1),
    nodes: z.record(z.string(), NodeState),
  })
  .meta({ id: 'WorkflowStatus' })
export type WorkflowStatus = z.infer<typeof WorkflowStatus>

export const WorkflowTemplate = z
  .object({
    template_id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    workflow: Workflow,
  })
  .meta({ id: 'WorkflowTemplate' })

/** One line of the list of workflows. */
export const WorkflowRecord = z
  .object({
    ...address,
    revision: z.int(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    num_nodes: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_run: z.object({ run_id: z.uuid(), status: z.enum(RUN_STATUSES) }).nullable(),
  })
  .meta({ id: 'WorkflowRecord' })
export type WorkflowRecord = z.infer<typeof WorkflowRecord>

export const RunRecord = z
  .object({
    ...run,
    revision: z.int().meta({ description: 'Of the workflow that ran' }),
    reason: z.string().nullable(),
    targets: nodeIds.nullable().meta({ description: 'null: all nodes' }),
    force: nodeIds,
    from_run: z.uuid().nullable().meta({ description: 'The run that this one resumed' }),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
    counts: z.record(z.enum(NODE_STATUSES), z.int()).meta({ description: 'Nodes by status' }),
  })
  .meta({ id: 'RunRecord' })
export type RunRecord = z.infer<typeof RunRecord>

export const CacheState = z
  .object({
    results: z.int(),
    files: z.int().meta({ description: 'Files of the artifact store that results refer to' }),
    size_bytes: z.int(),
  })
  .meta({ id: 'CacheState' })

export const CacheCleared = z
  .object({ cleared: z.int().meta({ description: 'Results that were forgotten' }) })
  .meta({ id: 'CacheCleared' })

const delta = { ...address, run_id: z.uuid(), seq: z.int().min(1), timestamp: Timestamp }

/** Messages on /ws/workflow/{workflow_id}: one snapshot, then what changes. */
export const WorkflowMessage = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('snapshot'),
      ...address,
      seq: z.int().min(0),
      timestamp: Timestamp,
      state: WorkflowStatus,
    }),
    z.object({ type: z.literal('node_status'), ...delta, node: z.string(), state: NodeState }),
    z.object({
      type: z.literal('progress'),
      ...delta,
      node: z.string().nullable().meta({ description: 'null: the whole run' }),
      progress: z.number().min(0).max(1),
      message: z.string().nullable(),
    }),
    z.object({
      type: z.literal('log'),
      ...delta,
      node: z.string().nullable(),
      level: z.enum(['info', 'warning']),
      code: openCode<WarningCode>('Of a warning').optional(),
      message: z.string(),
    }),
    z.object({
      type: z.literal('artifact'),
      ...delta,
      node: z.string(),
      port: z.string(),
      output: OutputSummary,
    }),
    z.object({
      type: z.literal('run_status'),
      ...delta,
      status: z.enum(RUN_STATUSES),
      reason: z.string().nullable(),
    }),
  ])
  .meta({ id: 'WorkflowMessage' })
export type WorkflowMessage = z.infer<typeof WorkflowMessage>
