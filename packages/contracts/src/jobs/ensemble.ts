import { z } from 'zod'
import { Fold } from '../configuration/fold.js'
import { phrasesOf } from '../phrases/phrase.js'

/** A trained model in an ensemble. Its job may have been removed: the ensemble contains its weights. */
export const EnsembleMember = z
  .object({
    job_id: z.uuid().meta({ description: 'Job that trained the member' }),
    job_name: z.string(),
    model_id: z.string(),
    epoch: z.int().meta({ description: 'Epoch of the checkpoint' }),
    checkpoint_digest: z
      .string()
      .meta({ description: 'SHA-256 of the weights, as in the list of checkpoints' }),
    seed: z.int(),
    fold: Fold.nullable().meta({ description: 'Held-out fold of the training; null: no fold' }),
    data_digests: z.record(z.string(), z.string()).meta({ description: 'split → SHA-256 of its cases' }),
  })
  .meta({ id: 'EnsembleMember' })
export type EnsembleMember = z.infer<typeof EnsembleMember>

/** Validation cases on which threshold, temperature, operating points and conformal sets of an ensemble were fitted. */
export const EnsembleFit = z
  .object({
    cases: z.int().nullable().meta({
      description: 'Validation cases that all members have in common; null: no common cases',
    }),
    reason: z.string().nullable().meta({ description: 'Reason why nothing was fitted' }),
    reason_phrases: phrasesOf('reason'),
  })
  .meta({ id: 'EnsembleFit' })

/** Members and fitted values of an ensemble of trained models. */
export const Ensemble = z
  .object({
    study_id: z.uuid().nullable().meta({ description: 'Study of the members' }),
    variant: z.string().nullable().meta({ description: 'Variant of the study; null: all variants' }),
    members: z.array(EnsembleMember),
    trained_on_every_fold: z.boolean().meta({
      description:
        'Whether the members held out different folds. If so, the ensemble has learned from the held-out cases and can be evaluated only on test or external data',
    }),
    cases_known: z.boolean().meta({
      description:
        'Whether every member recorded its training cases, so that an evaluation recognizes them; false for a checkpoint that was copied without its run directory',
    }),
    fitted_on_validation: EnsembleFit.optional().meta({
      description: 'Absent in ensembles of older versions, for which nothing was fitted',
    }),
  })
  .meta({ id: 'Ensemble' })
export type Ensemble = z.infer<typeof Ensemble>
