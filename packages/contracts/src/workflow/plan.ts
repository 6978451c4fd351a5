import { z } from 'zod'
import { PHRASES } from '../phrases/index.js'

/** Planned action for a node. */
export const PLAN_ACTIONS = ['run', 'reuse', 'skip'] as const

/** Reason of the action: the change since the last run, or why nothing is to be done. */
export const PLAN_REASONS = {
  cached: PHRASES.node_cached,
  forced: 'forced by the caller',
  never_run: 'the node has not run before',
  config_changed: 'the configuration changed',
  implementation_changed: 'the definition of the node changed',
  software_changed: 'the software changed',
  input_changed: 'an input changed',
  source_changed: 'a file or dataset that it reads changed',
  implicit_input_changed: 'additional information that the node shows changed',
  not_cached: 'the result is no longer cached',
  upstream_runs: 'depends on nodes that will run; the result is reused if theirs do not change',
  source_unknown: 'its input files or datasets are not known yet',
  software_unknown: 'the software versions are unknown, because Python does not respond',
  not_needed: 'no target depends on it',
  muted: 'it is muted',
  bypassed: 'it is bypassed; its input is passed on',
  needs_muted: 'a required input, or all inputs, come from muted nodes',
} as const
export type PlanReason = keyof typeof PLAN_REASONS

/** Possible differences from the inputs of a node's latest result. */
export const PLAN_CHANGES = ['field', 'input', 'implicit_input', 'software', 'version'] as const

export const PlanChange = z.object({
  what: z.enum(PLAN_CHANGES),
  name: z.string().meta({
    description: 'Name of the field, port or package; for a version, the earlier and the current version',
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
      .meta({ description: 'Differences from the latest result; empty without a comparison' }),
    estimate_seconds: z.number().min(0).nullable().meta({
      description: 'Duration of the last run of the node; 0 if it will not run, null if it has never run',
    }),
  })
  .meta({ id: 'PlanStep' })
export type PlanStep = z.infer<typeof PlanStep>

const plan = { steps: z.array(PlanStep), counts: z.record(z.enum(PLAN_ACTIONS), z.int()) }

/** Plan of a document, saved or not. */
export const DocumentPlan = z.object(plan).meta({ id: 'DocumentPlan' })

export const WorkflowPlan = z.object({ workflow_id: z.uuid(), ...plan }).meta({ id: 'WorkflowPlan' })
