import { z } from 'zod'
import { Fold } from '../configuration/fold.js'

/** A trained model in an ensemble. Its job may have been removed: the ensemble contains its weights. */
export const EnsembleMember = z
  .object({
    job_id: z.uuid().meta({ description: 'The job that trained it' }),
    job_name: z.string(),
    model_id: z.string(),
    epoch: z.int().meta({ description: 'Of its checkpoint' }),
    checkpoint_digest: z
      .string()
      .meta({ description: 'sha256 of its weights, as the list of checkpoints has it' }),
    seed: z.int(),
    fold: Fold.nullable().meta({ description: 'What its training held out; null: no fold' }),
    data_digests: z.record(z.string(), z.string()).meta({ description: 'split → sha256 of its cases' }),
  })
  .meta({ id: 'EnsembleMember' })
export type EnsembleMember = z.infer<typeof EnsembleMember>

/** Validation cases on which threshold, temperature, operating points and conformal sets of an ensemble were fitted. */
export const EnsembleFit = z
  .object({
    cases: z.int().nullable().meta({
      description: 'Validation cases that all members have in common; null: there are none to fit on',
    }),
    reason: z.string().nullable().meta({ description: 'Why there are none' }),
  })
  .meta({ id: 'EnsembleFit' })

/** Members and fitted values of an ensemble of trained models. */
export const Ensemble = z
  .object({
    study_id: z.uuid().nullable().meta({ description: 'The study whose models it combines' }),
    variant: z.string().nullable().meta({ description: 'Of that study; null: all of its variants' }),
    members: z.array(EnsembleMember),
    trained_on_every_fold: z.boolean().meta({
      description:
        'Members held out different folds, so that together they were trained on the held-out cases too: only test or external data evaluate it',
    }),
    cases_known: z.boolean().meta({
      description:
        'Whether every member recorded its cases, so that an evaluation recognizes them; a checkpoint that was copied without its run directory did not',
    }),
    fitted_on_validation: EnsembleFit.optional().meta({
      description: 'Absent of ensembles of older versions, for which nothing was fitted',
    }),
  })
  .meta({ id: 'Ensemble' })
export type Ensemble = z.infer<typeof Ensemble>
