import { z } from 'zod'

/** Cases of an evaluation, filtered by their predictions. */

export const EvaluationCase = z
  .object({
    row: z.int().meta({ description: 'Line of the file, the header being line 1' }),
    file: z.string().nullable(),
    split: z.string(),
    truth: z.string().meta({
      description:
        'A class, a number, or the labels that are true, joined by "; "; survival: the time, with what happened',
    }),
    predicted: z.string().nullable().meta({ description: 'The same; null of survival' }),
    correct: z
      .boolean()
      .nullable()
      .meta({ description: 'Null where a prediction is near or far, not right' }),
    probabilities: z.record(z.string(), z.number()).meta({ description: 'Of each class or label' }),
    confidence: z
      .number()
      .nullable()
      .meta({ description: 'The probability of the class that was predicted' }),
    risk: z.number().nullable().meta({ description: 'Survival: time lost up to the last edge' }),
    loss: z.number().nullable().meta({
      description:
        'Log loss in nats, of several labels the mean of those that are known; of a number the squared error; null of survival and in results of older versions',
    }),
    disagreement: z.number().nullable().meta({
      description: 'Of the members of an ensemble: mutual information in nats, or standard deviation',
    }),
    missing_views: z
      .array(z.int())
      .nullable()
      .meta({ description: 'Numbers from 1; null without images and in results of older versions' }),
    groups: z.record(z.string(), z.string()).meta({ description: 'Column of the subgroups → group' }),
    patient: z.string().nullable().meta({ description: 'Null unless identifiers were asked for' }),
    failure: z.int().nullable().meta({ description: 'Its place among the failures of the result, from 0' }),
    images: z
      .array(z.object({ view: z.int(), saliency: z.boolean() }))
      .meta({ description: 'Of a failure: what GET …/failure-image has' }),
  })
  .meta({ id: 'EvaluationCase' })
export type EvaluationCase = z.infer<typeof EvaluationCase>

const share = z.coerce.number().min(0).max(1).optional()
const text = z.string().max(500).optional()

/** Query fields that filter and sort cases. */
export const caseQuery = {
  truth: text.meta({ description: 'This class, or with this label' }),
  predicted: text.meta({ description: 'This class, or with this label' }),
  correct: z.enum(['true', 'false']).optional(),
  subgroup: z
    .string()
    .max(500)
    .regex(/^[^=]+=/)
    .optional()
    .meta({ description: 'column=value, as the subgroups of the result name them' }),
  split: text,
  missing_view: z
    .string()
    .regex(/^(any|[1-9]\d{0,3})$/)
    .optional()
    .meta({ description: 'Cases without this view, by its number; any: without at least one' }),
  confidence_min: share,
  confidence_max: share,
  class: text.meta({
    description: 'Whose probability the next two and the order speak of; absent: the positive class',
  }),
  probability_min: share,
  probability_max: share,
  threshold: share.meta({
    description: 'Two classes: decide there instead; what is predicted, correct and the confidence follow it',
  }),
  order_by: z.enum(['row', 'confidence', 'probability', 'loss', 'disagreement', 'risk']).default('row'),
  order: z.enum(['asc', 'desc']).default('asc'),
  identifiers: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: with the patient, as the patient column has it' }),
}

const CaseQuery = z.object(caseQuery)
export type CaseQuery = z.output<typeof CaseQuery>
