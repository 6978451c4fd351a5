import { z } from 'zod'
import { FUSION_TYPES, TASKS } from '../configuration/choices.js'
import { DataConfig } from '../configuration/data.js'
import { Job } from './job.js'
import { LABELS } from './labels.js'

/** Settings of a job in a table of jobs. Null: inferred from the data and unknown yet, or absent in an older version. */
export const JobSettings = z
  .object({
    train_csv: z.string(),
    task: z
      .enum(TASKS)
      .nullable()
      .meta({ description: 'Task, inferred from the label or set in the configuration' }),
    reads: z.enum(['image', 'table', 'image and table']).meta({ description: 'Inputs of the model' }),
    vision_backbone: z.string(),
    fusion_type: z.enum(FUSION_TYPES),
    pretrained: z.union([z.boolean(), z.string()]).nullable(),
    image_size: DataConfig.shape.image_size.unwrap().nullable(),
    fold: DataConfig.shape.fold.unwrap(),
    batch_size: z.int(),
    learning_rate: z.number().nullable(),
    optimizer: z.string().nullable(),
    device: z.string().nullable(),
    seed: z.int().nullable(),
  })
  .meta({ id: 'JobSettings' })
export type JobSettings = z.infer<typeof JobSettings>

/** A job in lists: the fields that are available without reading a configuration or a file. */
export const JobSummary = Job.omit({
  config: true,
  prepared: true,
  notes: true,
  note: true,
  device: true,
  resumable: true,
  ensemble: true,
})
  .extend({
    has_note: z.boolean(),
    settings: JobSettings.meta({ description: 'Main settings of the configuration' }),
  })
  .meta({ id: 'JobSummary', description: 'A job in lists; the status has all fields' })
export type JobSummary = z.infer<typeof JobSummary>

/** With view=full, the other fields are added to the summary. */
export const ListedJob = JobSummary.extend(
  Job.pick({ config: true, prepared: true, notes: true, device: true, resumable: true, ensemble: true })
    .extend({ note: LABELS.note })
    .partial().shape,
).meta({ id: 'ListedJob', description: 'Summary of a job; with view=full, all fields of the status' })
export type ListedJob = z.infer<typeof ListedJob>
