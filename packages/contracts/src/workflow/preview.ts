import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { resultQuery } from './port-value.js'

/** Maximum content of one preview; the table and the images behind it may be of any size. */
export const PREVIEW_LIMITS = { rows: 200, images: 24 } as const

const Thumbnail = z.object({
  row: z.int().meta({ description: 'Of the rows shown, from 0' }),
  column: z.string(),
  view: z.int().meta({ description: 'From 1; several where a volume is read as slices' }),
  png: z.string().meta({ description: 'As a model reads it, at most 128 pixels wide and high; base64' }),
  augmented_png: z
    .string()
    .nullable()
    .meta({ description: 'As a training might vary it; null: nothing varies it' }),
})

/** Rows and images of an output after preprocessing; a table of more than 64 MiB is shown as it is stored. */
export const TablePreview = z.object({
  num_rows: z.int(),
  num_columns: z.int().meta({ description: 'Of the table; the first 200 are shown' }),
  columns: z.array(
    z.object({
      name: z.string(),
      of: z
        .string()
        .nullable()
        .meta({ description: 'Column that its values are computed from; null: it is as it was read' }),
      masked: z.boolean().meta({
        description:
          'It may tell who a patient is: values are given as "#3", the third different one, and of a table of more than 64 MiB as "#"',
      }),
    }),
  ),
  rows: z.array(z.array(z.string())).meta({ description: 'Empty where a value is missing' }),
  image_size: z
    .array(z.int())
    .length(2)
    .nullable()
    .meta({ description: 'Width and height that a model reads; null: no images are shown' }),
  images: z.array(Thumbnail),
  notes: z.array(Warning).meta({ description: 'What to know before the values are read' }),
})

export const NodePreview = TablePreview.extend({
  workflow_id: z.string(),
  node: z.string(),
  port: z.string(),
  digest: z.string().meta({ description: 'Of the value that is shown, as in the status of a run' }),
  next_page_token: z.string().nullable(),
}).meta({ id: 'NodePreview' })
export type NodePreview = z.infer<typeof NodePreview>

export const PreviewQuery = z.object({
  ...resultQuery,
  port: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Left out: the first output with a table' }),
  rows: z.coerce.number().int().min(0).max(PREVIEW_LIMITS.rows).default(20),
  images: z.coerce.number().int().min(0).max(PREVIEW_LIMITS.images).default(8).meta({
    description: 'Cases whose images are shown: the first of the page',
  }),
  page_token: z.string().max(500).optional(),
  identifiers: z.enum(['true', 'false']).default('false').meta({
    description: 'true: values of columns that may tell who a patient is, as they are',
  }),
})
