import { z } from 'zod'
import { PHRASES, phrase } from './phrases/index.js'
import { NO_CONTROL_CHARACTERS } from './validation/no-control-characters.js'
import { refusal } from './validation/refusal.js'

export const MAX_ENSEMBLE_MEMBERS = 100

const members = (item: z.ZodString | z.ZodUUID, noun: string) =>
  z
    .array(item)
    .min(2, { error: `an ensemble has at least two members: list two or more ${noun}` })
    .max(MAX_ENSEMBLE_MEMBERS)
    .refine((names) => new Set(names).size === names.length, { error: `list each of the ${noun} once` })
    .optional()

/** Trained models whose mean prediction becomes a new model. */
export const EnsembleRequest = z
  .strictObject({
    study_id: z.uuid().optional().meta({ title: 'Study that has ended; its trained models are the members' }),
    variant: z.string().min(1).max(200).optional().meta({
      title: 'Variant of the study whose models are the members. Default: all variants',
    }),
    job_ids: members(z.uuid(), 'jobs').meta({ title: 'Jobs whose models are the members' }),
    models: members(z.string().min(1).max(4096), 'models').meta({
      title: 'Model ids, aliases, or checkpoint folders of models that are the members',
    }),
    name: z
      .string()
      .min(1)
      .max(200)
      .regex(NO_CONTROL_CHARACTERS, { error: PHRASES.control_characters })
      .optional()
      .meta({ title: 'Name of the ensemble. Default: the name of the study, or "ensemble"' }),
  })
  .superRefine(({ study_id, variant, job_ids, models }, context) => {
    const given = [study_id, job_ids, models].filter((value) => value !== undefined).length
    if (given !== 1)
      context.addIssue({
        code: 'custom',
        path: [given === 0 ? 'study_id' : job_ids ? 'job_ids' : 'models'],
        ...refusal(phrase('set_one_source_of_models')),
      })
    if (variant !== undefined && study_id === undefined)
      context.addIssue({
        code: 'custom',
        path: ['variant'],
        ...refusal(phrase('variant_requires_study')),
      })
  })
  .meta({ id: 'EnsembleRequest' })
