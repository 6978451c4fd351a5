import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { resultQuery } from './port-value.js'

/** Maximum content of one preview; the table and the images behind it may be of any size. */
export const PREVIEW_LIMITS = { rows: 200, images: 24 } as const

const Thumbnail = z.object({
  row: z.int().meta({ description: 'Index among the returned rows, from 0' }),
  column: z.string(),
  view: z.int().meta({ description: 'View number from 1; several if a volume is read as slices' }),
  png: z
    .string()
    .meta({ description: 'base64 PNG of the image as a model reads it, at most 128 pixels wide and high' }),
  augmented_png: z
    .string()
    .nullable()
    .meta({ description: 'Example of the augmented image; null: no augmentation' }),
})

/** Rows and images of an output after preprocessing; a table of more than 64 MiB is shown as it is stored. */
export const TablePreview = z.object({
  num_rows: z.int(),
  num_columns: z.int().meta({ description: 'Number of columns of the table; the first 200 are returned' }),
  columns: z.array(
    z.object({
      name: z.string(),
      of: z.string().nullable().meta({
        description: 'Column from which the values are computed; null: unchanged values of the table',
      }),
      masked: z.boolean().meta({
        description:
          'Whether the column may identify patients; its values are replaced by "#3" (the third distinct value), or by "#" for a table of more than 64 MiB',
      }),
    }),
  ),
  rows: z.array(z.array(z.string())).meta({ description: 'Empty string for a missing value' }),
  image_size: z
    .array(z.int())
    .length(2)
    .nullable()
    .meta({ description: 'Width and height that a model reads; null: no images' }),
  images: z.array(Thumbnail),
  notes: z.array(Warning).meta({ description: 'Notes on the interpretation of the values' }),
})

export const NodePreview = TablePreview.extend({
  workflow_id: z.string(),
  node: z.string(),
  port: z.string(),
  digest: z.string().meta({ description: 'Digest of the value, as in the status of a run' }),
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
    .meta({ description: 'Output port. Default: the first output with a table' }),
  rows: z.coerce.number().int().min(0).max(PREVIEW_LIMITS.rows).default(20),
  images: z.coerce.number().int().min(0).max(PREVIEW_LIMITS.images).default(8).meta({
    description: 'Number of cases with images, from the start of the page',
  }),
  page_token: z.string().max(500).optional(),
  identifiers: z.enum(['true', 'false']).default('false').meta({
    description: 'true: return the values of columns that may identify patients',
  }),
})
