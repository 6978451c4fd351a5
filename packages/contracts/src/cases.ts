import { z } from 'zod'
import { ERRORS, type ErrorCode } from './codes/index.js'
import { DataConfig, Slices } from './configuration/index.js'
import { COLUMN_ROLES } from './datasets.js'

/** Views of a dataset: its cases, the distribution of a column, pairs of leaking cases, and images. */

/** In an address, integers and booleans are text; a repeatable field is one value or a list. */
const several = <Item extends z.ZodType>(item: Item, most: number) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(most))
const flag = z.enum(['true', 'false']).default('false')

export const ORDERS = ['asc', 'desc'] as const
export const MOST_COLUMNS = 200
/** Maximum number of pictures per request. */
export const MOST_PICTURES = 100

export const CasesQuery = {
  split: z.string().min(1).max(200).optional().meta({ description: 'train, val or test' }),
  class: z.string().min(1).max(1000).optional().meta({ description: 'A class of the record' }),
  patient: z.coerce.number().int().min(1).optional().meta({
    description: 'The number of a patient in this list, never an id',
  }),
  line: several(z.coerce.number().int().min(1), MOST_PICTURES)
    .optional()
    .meta({ description: 'Cases at these lines of their files, as evaluations name them' }),
  filter: z.string().min(1).max(2000).optional().meta({
    description:
      'Condition in the words of FilterData, such as age >= 60 and sex = F, or site is missing; about no column that identifies, because it stands in an address',
  }),
  order_by: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Column; absent: the order of the table' }),
  order: z.enum(ORDERS).default('asc').meta({ description: 'Missing values are last in both' }),
  columns: several(z.string().min(1).max(1000), MOST_COLUMNS)
    .optional()
    .meta({ description: `Columns to give; absent: the first ${MOST_COLUMNS}` }),
  identifiers: flag.meta({
    description: 'true: values of identifying columns as they are, not as the number of the value',
  }),
}

const ShownColumn = z.object({
  name: z.string(),
  role: z.enum(COLUMN_ROLES),
  masked: z.boolean().meta({ description: 'Values are given as "#3": the third different one' }),
})

export const Case = z
  .object({
    row: z.int().meta({ description: 'From 0, in the order of the table; images and pairs name it' }),
    file: z.string().meta({ description: 'Name of the file that the case stands in' }),
    line: z.int().meta({ description: 'Line there, as an editor counts' }),
    split: z.string().nullable(),
    class: z.string().nullable(),
    patient: z
      .int()
      .nullable()
      .meta({ description: 'The same number for the same patient, in the order of the table' }),
    images: z.array(z.boolean()).meta({ description: 'By image column: whether the case has one' }),
    values: z
      .array(z.union([z.string(), z.number(), z.null()]))
      .meta({ description: 'By column: as a training reads it; null: missing' }),
  })
  .meta({ id: 'Case' })

const digest = z
  .string()
  .meta({ description: 'Another one when a file of the table, or the role of a column, has changed' })

export const CasesFound = z.object({
  columns: z.array(ShownColumn),
  num_columns: z.int().meta({ description: 'Of the data set' }),
  cases: z.array(Case),
  total: z.int().meta({ description: 'Cases that were chosen' }),
  num_cases: z.int().meta({ description: 'Of the data set' }),
  digest,
})
export const CasesPage = CasesFound.extend({ next_page_token: z.string().nullable() }).meta({
  id: 'CasesPage',
})
export type CasesPage = z.infer<typeof CasesPage>

export const DistributionQuery = {
  column: z.string().min(1).max(1000),
  bins: z.coerce.number().int().min(1).max(200).default(20).meta({ description: 'Of numbers: of one width' }),
  top: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(20)
    .meta({ description: 'Of other values: the most frequent' }),
}

export const Distribution = ShownColumn.extend({
  edges: z
    .array(z.number())
    .nullable()
    .meta({ description: 'Of the bins, one more than there are; null: no numbers' }),
  values: z.array(z.string()).nullable().meta({ description: 'The most frequent first; null: numbers' }),
  distinct: z.int(),
  groups: z
    .array(
      z.object({
        split: z.string().nullable(),
        class: z.string().nullable(),
        cases: z.int(),
        missing: z.int(),
        counts: z.array(z.int()).meta({ description: 'By bin, or by value' }),
        rest: z.int().meta({ description: 'Cases with another value' }),
      }),
    )
    .meta({ description: 'One per split and class that has cases' }),
  digest,
}).meta({ id: 'Distribution' })
export type Distribution = z.infer<typeof Distribution>

/** Sizes of the longest side of a picture: only a few, so that cached pictures are found again. */
export const IMAGE_SIZES = [64, 128, 192, 256, 512, 1024, 2048] as const
export const IMAGE_TYPES = ['image/png', 'image/jpeg'] as const

const size = z.coerce.number().pipe(z.literal(IMAGE_SIZES))
const axis = Slices.shape.axis

/** Keys of a training configuration that define how images are read. */
const Reading = DataConfig.pick({ image_size: true, window: true, slices: true })

/** Parameters with which the worker renders an image. */
export const ImageView = z.strictObject({
  size: z.int().nullable().meta({ description: 'Longest side; null: as large as the image' }),
  slice: z
    .int()
    .nullable()
    .meta({ description: 'From 0; null: the one that the cell names, else the middle one' }),
  axis,
  window: z.strictObject({ center: z.number(), width: z.number() }).nullable().meta({
    description: 'In the units of the image; null: the range that the reader shows',
  }),
  model: Reading.nullable().meta({
    description: 'Of the training whose model sees it so: size, window and slices; null: for people',
  }),
  view: z.int().meta({ description: 'Of the model: which of the views of a volume, from 1' }),
})

export const ImageQuery = {
  size: size
    .optional()
    .meta({ description: `Longest side: ${IMAGE_SIZES.join(', ')}; absent: as large as it is` }),
  slice: z.coerce.number().int().min(0).max(100_000).optional().meta({
    description: 'Of a volume, from 0; absent: the one that the table names, else the middle one',
  }),
  axis: axis.meta({ description: 'Of NIfTI volumes; frames and series are divided as they were acquired' }),
  window_center: z.coerce
    .number()
    .optional()
    .meta({ description: 'In the units of the image; with window_width' }),
  window_width: z.coerce.number().gt(0).optional(),
  as: z.enum(['image', 'model']).default('image').meta({
    description:
      'model: exactly what a model reads, with image_width, image_height, the window and the slices of the data set',
  }),
  image_width: z.coerce.number().int().min(16).max(2048).optional().meta({
    description: 'As data.image_size; absent: its default',
  }),
  image_height: z.coerce.number().int().min(16).max(2048).optional(),
  view: z.coerce.number().int().min(1).max(64).default(1).meta({
    description: 'As a model: which of the views of a volume',
  }),
}

export const ImageInfo = z
  .object({
    kind: z.string().meta({ description: 'PNG, JPEG, TIFF, DICOM or NIfTI, by content' }),
    width: z.int(),
    height: z.int(),
    channels: z.int(),
    depth: z.int().meta({ description: 'Bits: 8 or 16' }),
    slices: z
      .object({ axial: z.int(), coronal: z.int(), sagittal: z.int() })
      .meta({ description: 'Along each axis; axial: as acquired; 0: not read along this axis' }),
    modality: z.string().nullable(),
    spacing: z
      .array(z.number())
      .nullable()
      .meta({ description: 'Millimetres between columns, rows and slices; 0: unknown' }),
    windows: z
      .array(z.object({ center: z.number(), width: z.number() }))
      .meta({ description: 'Those of the file' }),
    shown: z.object({ low: z.number(), high: z.number() }).nullable().meta({
      description: 'The range from black to white without a window; null: all that the file can hold',
    }),
    inverted: z.boolean().meta({ description: 'Low values are bright' }),
    views: z.int().meta({ description: 'That a model reads of it' }),
  })
  .meta({ id: 'ImageInfo' })
export type ImageInfo = z.infer<typeof ImageInfo>

const Picture = z.object({
  media_type: z.enum(IMAGE_TYPES),
  data: z.string().meta({ description: 'base64' }),
})
const Problem = z.object({
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
})
export const Pictures = z
  .object({
    pictures: z.array(z.object({ picture: Picture.nullable(), problem: Problem.nullable() })),
  })
  .meta({ id: 'Pictures' })
export type Pictures = z.infer<typeof Pictures>

/** Maximum number of pairs per leak search. */
export const MOST_PAIRS = 500

const CaseOfPair = Case.omit({ values: true }).extend({
  image: z.int().meta({ description: 'Which of its images is meant, from 0; of a patient the first' }),
})

export const LEAK_KINDS = ['patient', 'same', 'alike'] as const

export const LeaksFound = z
  .object({
    pairs: z
      .array(z.object({ kind: z.enum(LEAK_KINDS), first: CaseOfPair, second: CaseOfPair }))
      .meta({ description: `Pairs of two splits first; at most ${MOST_PAIRS}` }),
    totals: z
      .object({ patient: z.int(), same: z.int(), alike: z.int() })
      .meta({ description: 'All that were found: patients of two splits; files and looks of two patients' }),
    images: z.int().meta({ description: 'Image files that the table names' }),
    unreadable: z.int().meta({ description: 'Of them, not compared because they cannot be read' }),
    compared: z
      .boolean()
      .meta({ description: 'False: too many images to compare how they look; files and patients were' }),
    digest,
  })
  .meta({ id: 'LeaksFound' })
export type LeaksFound = z.infer<typeof LeaksFound>

const ImageOfCase = z.strictObject({
  row: z.int().min(0),
  image: z.int().min(0).meta({ description: 'Which of the image columns, from 0' }),
})

export const ThumbnailsRequest = z
  .strictObject({
    rows: z.array(z.int().min(0)).min(1).max(MOST_PICTURES),
    image: z.int().min(0).max(10_000).default(0).meta({ title: 'Which of the image columns, from 0' }),
    size: z.literal(IMAGE_SIZES).default(192),
  })
  .meta({ id: 'ThumbnailsRequest' })

/** Location and columns of a dataset, as the worker receives them. */
const DatasetPlace = z.strictObject({
  path: z.string(),
  image_root: z.string().nullable(),
  roles: z
    .record(z.string(), z.enum(COLUMN_ROLES))
    .meta({ description: 'Column → role; empty: a folder per class' }),
  classes: z.array(z.string()).nullable(),
  roots: z.array(z.string()),
  cache_dir: z.string(),
})
export type DatasetPlace = z.infer<typeof DatasetPlace>

/** Worker tasks for datasets. */
export const CASE_TASKS = {
  cases: {
    params: z.strictObject({
      dataset: DatasetPlace,
      split: z.string().nullable(),
      class: z.string().nullable(),
      patient: z.int().nullable(),
      lines: z.array(z.int()).nullable(),
      filter: z.string().nullable(),
      order_by: z.string().nullable(),
      descending: z.boolean(),
      columns: z.array(z.string()).nullable(),
      most_columns: z.int(),
      identifiers: z.boolean(),
      offset: z.int(),
      limit: z.int(),
    }),
    result: CasesFound,
  },
  distribution: {
    params: z.strictObject({ dataset: DatasetPlace, column: z.string(), bins: z.int(), top: z.int() }),
    result: Distribution,
  },
  images: {
    params: z.strictObject({ dataset: DatasetPlace, images: z.array(ImageOfCase).min(1), view: ImageView }),
    result: Pictures,
  },
  leaks: {
    params: z.strictObject({ dataset: DatasetPlace, data: Reading, most_pairs: z.int() }),
    result: LeaksFound,
  },
  image_info: {
    params: z.strictObject({ dataset: DatasetPlace, image: ImageOfCase, data: Reading }),
    result: ImageInfo,
  },
} as const
