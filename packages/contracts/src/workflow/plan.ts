import { z } from 'zod'
import type { PhraseCode } from '../phrases/index.js'
import { phrasesOf } from '../phrases/phrase.js'

/** Planned action for a node. */
export const PLAN_ACTIONS = ['run', 'reuse', 'skip'] as const

/** Reason of the action and its phrase: the change since the last run, or why nothing is to be done. */
export const PLAN_REASONS = {
  cached: 'node_cached',
  forced: 'plan_forced',
  never_run: 'plan_never_run',
  config_changed: 'plan_config_changed',
  implementation_changed: 'plan_implementation_changed',
  software_changed: 'plan_software_changed',
  input_changed: 'plan_input_changed',
  source_changed: 'plan_source_changed',
  implicit_input_changed: 'plan_implicit_input_changed',
  not_cached: 'plan_not_cached',
  upstream_runs: 'plan_upstream_runs',
  source_unknown: 'plan_source_unknown',
  software_unknown: 'plan_software_unknown',
  not_needed: 'plan_not_needed',
  muted: 'plan_muted',
  bypassed: 'plan_bypassed',
  needs_muted: 'plan_needs_muted',
} as const satisfies Record<string, PhraseCode>
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
    message_phrases: phrasesOf('message'),
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
