import { z } from 'zod'

/** What a plan intends with a node. */
export const PLAN_ACTIONS = ['run', 'reuse', 'skip'] as const

/** Why: what changed since the last time, or why nothing is to be done. */
export const PLAN_REASONS = {
  cached: 'the result is cached',
  forced: 'forced by the caller',
  never_run: 'has not run before',
  config_changed: 'the configuration changed',
  implementation_changed: 'the definition of the node changed',
  software_changed: 'the software changed',
  input_changed: 'an input changed',
  source_changed: 'a file or dataset that it reads changed',
  implicit_input_changed: 'what it shows beside its inputs changed',
  not_cached: 'the result is no longer cached',
  upstream_runs: 'depends on nodes that will run; reused if their results are unchanged',
  source_unknown: 'the files or datasets that it reads are not known yet',
  software_unknown: 'the versions of its software are not known, because Python does not respond',
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
  .object({
    workflow_id: z.uuid(),
    steps: z.array(PlanStep),
    counts: z.record(z.enum(PLAN_ACTIONS), z.int()),
  })
  .meta({ id: 'WorkflowPlan' })
