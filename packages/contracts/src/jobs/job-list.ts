import { z } from 'zod'
import { FUSION_TYPES, TASKS } from '../configuration/choices.js'
import { DataConfig } from '../configuration/data.js'
import { Job } from './job.js'
import { LABELS } from './labels.js'

/** Settings of a job in a table of jobs. Null: inferred from the data and unknown yet, or absent in an older version. */
export const JobSettings = z
  .object({
    train_csv: z.string(),
    task: z.enum(TASKS).nullable().meta({ description: 'As inferred from the label, else as named' }),
    reads: z
      .enum(['image', 'table', 'image and table'])
      .meta({ description: 'What the model reads of a case' }),
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
    settings: JobSettings.meta({ description: 'The main keys of its configuration' }),
  })
  .meta({ id: 'JobSummary', description: 'A job as lists give it; its status has the rest' })
export type JobSummary = z.infer<typeof JobSummary>

/** With view=full, the other fields are added to the summary. */
export const ListedJob = JobSummary.extend(
  Job.pick({ config: true, prepared: true, notes: true, device: true, resumable: true, ensemble: true })
    .extend({ note: LABELS.note })
    .partial().shape,
).meta({ id: 'ListedJob', description: 'The summary of a job; of view=full with everything of its status' })
export type ListedJob = z.infer<typeof ListedJob>
