import { z } from 'zod'

/** Planned action for a node. */
export const PLAN_ACTIONS = ['run', 'reuse', 'skip'] as const

/** Reason of the action: the change since the last run, or why nothing is to be done. */
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
  muted: 'it is muted',
  bypassed: 'it is bypassed: what arrives at it is passed on',
  needs_muted: 'all that arrives, or a required input, comes from a muted node',
} as const
export type PlanReason = keyof typeof PLAN_REASONS

/** Possible differences from the inputs of a node's latest result. */
export const PLAN_CHANGES = ['field', 'input', 'implicit_input', 'software', 'version'] as const

export const PlanChange = z.object({
  what: z.enum(PLAN_CHANGES),
  name: z.string().meta({
    description: 'Name of the field, port or package; of a version: the earlier and the present one',
  }),
})
export type PlanChange = z.infer<typeof PlanChange>

export const PlanStep = z
  .object({
    node: z.string(),
    action: z.enum(PLAN_ACTIONS),
    reason: z.enum(Object.keys(PLAN_REASONS) as [PlanReason]),
    message: z.string(),
    changes: z
      .array(PlanChange)
      .meta({ description: 'What differs from the latest result; empty where nothing is compared' }),
    estimate_seconds: z.number().min(0).nullable().meta({
      description:
        'As long as the node took the last time; 0 where it does not run, null where it has not run',
    }),
  })
  .meta({ id: 'PlanStep' })
export type PlanStep = z.infer<typeof PlanStep>

const plan = { steps: z.array(PlanStep), counts: z.record(z.enum(PLAN_ACTIONS), z.int()) }

/** Plan of a document, saved or not. */
export const DocumentPlan = z.object(plan).meta({ id: 'DocumentPlan' })

export const WorkflowPlan = z.object({ workflow_id: z.uuid(), ...plan }).meta({ id: 'WorkflowPlan' })
