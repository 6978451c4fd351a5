import { z } from 'zod'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'

const Least = z.number().gt(0).lt(1).meta({
  title: 'Minimum share of the cases of the class that are classified correctly on the validation split',
})
const Cost = z.number().positive().max(1_000_000)

/** Criterion for the threshold of a binary classifier. */
export const OperatingRule = z
  .discriminatedUnion('rule', [
    z.strictObject({ rule: z.literal('youden') }),
    z.strictObject({ rule: z.literal('sensitivity'), at_least: Least }),
    z.strictObject({ rule: z.literal('specificity'), at_least: Least }),
    z.strictObject({
      rule: z.literal('cost'),
      false_negative: Cost.meta({ title: 'Cost of a false negative' }),
      false_positive: Cost.meta({ title: 'Cost of a false positive' }),
    }),
  ])
  .meta({ id: 'OperatingRule' })
export type OperatingRule = z.infer<typeof OperatingRule>

/** Configuration of `training.operating_points`. */
export const OperatingRules = z
  .array(OperatingRule)
  .max(8)
  .refine(
    (rules) => new Set(rules.map((rule) => JSON.stringify(rule))).size === rules.length,
    refusal(phrase('rule_twice')),
  )
