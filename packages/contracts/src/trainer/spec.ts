import { z } from 'zod'
import { Baseline } from '../configuration/baselines.js'
import { TrainerConfig } from '../configuration/training-config.js'
import { FineTunedFrom } from '../jobs/fine-tuned-from.js'

/** Version of the files in the run directory and their formats. */
export const RUN_SCHEMA_VERSION = 1

/** Shared folders of the service on a machine where their paths differ. */
export const Places = z.array(z.strictObject({ named: z.string(), here: z.string() }))

/** spec.json: everything that a training needs. The trainer adds no defaults of its own. */
export const TrainerSpec = z
  .strictObject({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    job_id: z.uuid(),
    job_name: z.string(),
    attempt: z.int().min(1),
    run_dir: z.string().meta({
      description: 'Absolute path of the run directory, the only folder in which the trainer writes results',
    }),
    cache_dir: z.string().meta({ description: 'Absolute path of the prepared arrays, shared by runs' }),
    roots: z
      .array(z.string())
      .meta({ description: 'Absolute paths of the folders in which image paths of tables must be' }),
    places: Places.optional().meta({
      description:
        'Absolute folders of the configuration and the tables → their paths on the machine of the trainer. Absent: the same paths. All other paths of the specification are already those of the trainer',
    }),
    resume_from: z
      .string()
      .nullable()
      .meta({ description: 'Absolute path of the checkpoint folder to continue from' }),
    fine_tuned_from: FineTunedFrom.nullable().optional().meta({
      description:
        'Content of the checkpoint of model.fine_tune_from when the job was accepted; for a resumed job, that of the first job',
    }),
    baselines: z
      .array(Baseline)
      .optional()
      .meta({ description: 'Complete list of the baselines to fit; absent: none' }),
    config: TrainerConfig,
  })
  .meta({ id: 'TrainerSpec' })
export type TrainerSpec = z.infer<typeof TrainerSpec>

/** limit.json in the cache folder: maximum total size of the prepared images. Every process that prepares images respects it. */
export const CacheLimit = z.strictObject({ limit_bytes: z.int().min(0) })
export type CacheLimit = z.infer<typeof CacheLimit>
