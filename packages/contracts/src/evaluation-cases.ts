import { z } from 'zod'

/** Cases of an evaluation, filtered by their predictions. */

export const EvaluationCase = z
  .object({
    row: z.int().meta({ description: 'Line number in the file; the header is line 1' }),
    file: z.string().nullable(),
    split: z.string(),
    truth: z.string().meta({
      description: 'True class, number, or positive labels separated by "; ". Survival: time and outcome',
    }),
    predicted: z.string().nullable().meta({ description: 'Prediction in the same form; null for survival' }),
    correct: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the prediction is correct; null for numbers and survival' }),
    probabilities: z
      .record(z.string(), z.number())
      .meta({ description: 'Probability of each class or label' }),
    confidence: z.number().nullable().meta({ description: 'Probability of the predicted class' }),
    risk: z
      .number()
      .nullable()
      .meta({ description: 'Survival: expected time lost up to the end of the last interval' }),
    loss: z.number().nullable().meta({
      description:
        'Log loss in nats (for several labels, the mean over known labels), or squared error of a number; null for survival and in results of older versions',
    }),
    disagreement: z.number().nullable().meta({
      description:
        'Disagreement of the members of an ensemble: mutual information in nats, or standard deviation',
    }),
    missing_views: z.array(z.int()).nullable().meta({
      description:
        'Numbers of the missing views, from 1; null without images and in results of older versions',
    }),
    groups: z.record(z.string(), z.string()).meta({ description: 'Subgroup column → group' }),
    patient: z.string().nullable().meta({ description: 'Null unless the request sets identifiers' }),
    failure: z.int().nullable().meta({ description: 'Index among the failure cases of the result, from 0' }),
    images: z
      .array(z.object({ view: z.int(), saliency: z.boolean() }))
      .meta({ description: 'Images of a failure case that GET …/failure-image returns' }),
  })
  .meta({ id: 'EvaluationCase' })
export type EvaluationCase = z.infer<typeof EvaluationCase>

const share = z.coerce.number().min(0).max(1).optional()
const text = z.string().max(500).optional()

/** Query fields that filter and sort cases. */
export const caseQuery = {
  truth: text.meta({ description: 'Class, or a label that is positive' }),
  predicted: text.meta({ description: 'Class, or a label that is positive' }),
  correct: z.enum(['true', 'false']).optional(),
  subgroup: z
    .string()
    .max(500)
    .regex(/^[^=]+=/)
    .optional()
    .meta({ description: 'Subgroup as column=value, as in the result' }),
  split: text,
  missing_view: z
    .string()
    .regex(/^(any|[1-9]\d{0,3})$/)
    .optional()
    .meta({ description: 'Number of a view that is missing; any: at least one view is missing' }),
  confidence_min: share,
  confidence_max: share,
  class: text.meta({
    description:
      'Class to whose probability the next two fields and the order refer. Default: the positive class',
  }),
  probability_min: share,
  probability_max: share,
  threshold: share.meta({
    description:
      'Two classes: decision threshold to use instead of that of the model. Prediction, correctness and confidence change accordingly',
  }),
  order_by: z.enum(['row', 'confidence', 'probability', 'loss', 'disagreement', 'risk']).default('row'),
  order: z.enum(['asc', 'desc']).default('asc'),
  identifiers: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: include the patient id of the patient column' }),
}

const CaseQuery = z.object(caseQuery)
export type CaseQuery = z.output<typeof CaseQuery>
