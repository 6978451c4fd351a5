import { z } from 'zod'
import { ERRORS, type ErrorCode } from './codes/index.js'
import { DataConfig, Recipe, Slices } from './configuration/index.js'
import { COLUMN_ROLES, InspectRequest } from './datasets.js'
import { phrasesOf } from './phrases/phrase.js'

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
  class: z.string().min(1).max(1000).optional().meta({ description: 'Class of the label' }),
  patient: z.coerce.number().int().min(1).optional().meta({
    description: 'Number of a patient in this list (not a patient id)',
  }),
  line: several(z.coerce.number().int().min(1), MOST_PICTURES)
    .optional()
    .meta({ description: 'Line numbers of cases in their files, as in evaluations' }),
  filter: z.string().min(1).max(2000).optional().meta({
    description:
      'Condition in the syntax of FilterData, such as age >= 60 and sex = F, or site is missing. It must not use an identifying column, because it is part of the URL',
  }),
  order_by: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Column to sort by. Default: the order of the table' }),
  order: z.enum(ORDERS).default('asc').meta({ description: 'Missing values are last in both orders' }),
  columns: several(z.string().min(1).max(1000), MOST_COLUMNS)
    .optional()
    .meta({ description: `Columns to return. Default: the first ${MOST_COLUMNS}` }),
  identifiers: flag.meta({
    description: 'true: return the values of identifying columns, instead of numbers that replace them',
  }),
}

const ShownColumn = z.object({
  name: z.string(),
  role: z.enum(COLUMN_ROLES),
  masked: z
    .boolean()
    .meta({ description: 'Values are replaced by numbers such as "#3", the third distinct value' }),
})

export const Case = z
  .object({
    row: z
      .int()
      .meta({ description: 'Row index from 0, in the order of the table; images and pairs refer to it' }),
    file: z.string().meta({ description: 'Name of the file that contains the case' }),
    line: z.int().meta({ description: 'Line number in the file, as in a text editor' }),
    split: z.string().nullable(),
    class: z.string().nullable(),
    patient: z
      .int()
      .nullable()
      .meta({ description: 'Patient number, in the order of the table; equal numbers are the same patient' }),
    images: z.array(z.boolean()).meta({ description: 'Whether the case has an image, per image column' }),
    values: z
      .array(z.union([z.string(), z.number(), z.null()]))
      .meta({ description: 'Value as read by a training, per column; null: missing' }),
  })
  .meta({ id: 'Case' })

const digest = z
  .string()
  .meta({ description: 'Digest that changes when a file of the table or the role of a column changes' })

export const CasesFound = z.object({
  columns: z.array(ShownColumn),
  num_columns: z.int().meta({ description: 'Number of columns of the dataset' }),
  cases: z.array(Case),
  total: z.int().meta({ description: 'Number of matching cases' }),
  num_cases: z.int().meta({ description: 'Number of cases of the dataset' }),
  digest,
})
export const CasesPage = CasesFound.extend({ next_page_token: z.string().nullable() }).meta({
  id: 'CasesPage',
})
export type CasesPage = z.infer<typeof CasesPage>

export const DistributionQuery = {
  column: z.string().min(1).max(1000),
  bins: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(20)
    .meta({ description: 'Number of bins of equal width, for numeric columns' }),
  top: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(20)
    .meta({ description: 'Number of the most frequent values to return, for other columns' }),
}

export const Distribution = ShownColumn.extend({
  edges: z
    .array(z.number())
    .nullable()
    .meta({ description: 'Bin edges, one more than the number of bins; null: the column is not numeric' }),
  values: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Most frequent values first; null: the column is numeric' }),
  distinct: z.int(),
  groups: z
    .array(
      z.object({
        split: z.string().nullable(),
        class: z.string().nullable(),
        cases: z.int(),
        missing: z.int(),
        counts: z.array(z.int()).meta({ description: 'Counts per bin or per value' }),
        rest: z.int().meta({ description: 'Number of cases with other values' }),
      }),
    )
    .meta({ description: 'One group per split and class with cases' }),
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
  size: z.int().nullable().meta({ description: 'Longest side in pixels; null: original size' }),
  slice: z
    .int()
    .nullable()
    .meta({ description: 'Slice index from 0; null: the slice that the cell names, or the middle slice' }),
  axis,
  window: z.strictObject({ center: z.number(), width: z.number() }).nullable().meta({
    description: 'Window center in the units of the image; null: the default display range',
  }),
  model: Reading.nullable().meta({
    description:
      'Size, window and slices of the training whose model reads the image; null: the image as displayed to people',
  }),
  view: z.int().meta({ description: 'With model: number of the view of a volume, from 1' }),
})

export const ImageQuery = {
  size: size
    .optional()
    .meta({ description: `Longest side in pixels: ${IMAGE_SIZES.join(', ')}. Default: original size` }),
  slice: z.coerce.number().int().min(0).max(100_000).optional().meta({
    description:
      'Slice index of a volume, from 0. Default: the slice that the table names, or the middle slice',
  }),
  axis: axis.meta({
    description: 'Slice axis of NIfTI volumes; frames and series are shown in the acquired plane',
  }),
  window_center: z.coerce
    .number()
    .optional()
    .meta({ description: 'Window center in the units of the image; requires window_width' }),
  window_width: z.coerce.number().gt(0).optional(),
  as: z.enum(['image', 'model']).default('image').meta({
    description:
      'model: exactly the image that a model reads, with image_width, image_height, the window and the slices of the dataset',
  }),
  image_width: z.coerce.number().int().min(16).max(2048).optional().meta({
    description: 'Width, as in data.image_size. Default: that of data.image_size',
  }),
  image_height: z.coerce.number().int().min(16).max(2048).optional(),
  view: z.coerce.number().int().min(1).max(64).default(1).meta({
    description: 'With render=model: number of the view of a volume',
  }),
}

export const ImageInfo = z
  .object({
    kind: z.string().meta({ description: 'File type by content: PNG, JPEG, TIFF, DICOM or NIfTI' }),
    width: z.int(),
    height: z.int(),
    channels: z.int(),
    depth: z.int().meta({ description: 'Bits: 8 or 16' }),
    slices: z.object({ axial: z.int(), coronal: z.int(), sagittal: z.int() }).meta({
      description:
        'Number of slices along each axis; axial: the acquired plane; 0: slices are not available along this axis',
    }),
    modality: z.string().nullable(),
    spacing: z
      .array(z.number())
      .nullable()
      .meta({ description: 'Distance between columns, rows and slices in millimeters; 0: unknown' }),
    windows: z
      .array(z.object({ center: z.number(), width: z.number() }))
      .meta({ description: 'Intensity windows in the file' }),
    shown: z.object({ low: z.number(), high: z.number() }).nullable().meta({
      description:
        'Display range from black to white without a window; null: the full range of the data type',
    }),
    inverted: z.boolean().meta({ description: 'Whether low values are displayed as bright' }),
    views: z.int().meta({ description: 'Views that a model reads from the image' }),
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
  message_phrases: phrasesOf('message'),
})
export const Pictures = z
  .object({
    pictures: z.array(z.object({ picture: Picture.nullable(), problem: Problem.nullable() })),
  })
  .meta({ id: 'Pictures' })
export type Pictures = z.infer<typeof Pictures>

/** Cases of a preview, and the image columns whose pictures it has. */
export const PREVIEW_CASES = { rows: 10, images: 4, columns: 40, size: 128 } as const

export const PreviewCasesRequest = InspectRequest.extend({
  inspection: z.string().meta({ title: 'Task id of the completed inspection of the same request' }),
}).meta({ id: 'PreviewCasesRequest' })

export const CasesPreview = z
  .object({
    columns: z.array(ShownColumn).meta({ description: `The first ${PREVIEW_CASES.columns}` }),
    num_columns: z.int(),
    cases: z
      .array(
        Case.extend({
          pictures: z.array(z.object({ picture: Picture.nullable(), problem: Problem.nullable() })).meta({
            description: `For each of the first ${PREVIEW_CASES.images} image columns; both null: the case has no image there`,
          }),
        }),
      )
      .meta({ description: 'Cases chosen at random; the same ones as long as the table does not change' }),
    num_cases: z.int(),
    source: z
      .object({
        name: z.string(),
        columns: z.array(ShownColumn.omit({ role: true })),
        rows: z.array(z.array(z.string().nullable())),
      })
      .nullable()
      .meta({
        description:
          'Rows of the main table, as in its file, from which a recipe makes these cases; null without a recipe',
      }),
  })
  .meta({ id: 'CasesPreview' })
export type CasesPreview = z.infer<typeof CasesPreview>

/** Maximum number of pairs per leak search. */
export const MOST_PAIRS = 500

const CaseOfPair = Case.omit({ values: true }).extend({
  image: z
    .int()
    .meta({ description: 'Index of the image of the case, from 0; for a patient, the first image' }),
})

export const LEAK_KINDS = ['patient', 'same', 'alike'] as const

export const LeaksFound = z
  .object({
    pairs: z
      .array(z.object({ kind: z.enum(LEAK_KINDS), first: CaseOfPair, second: CaseOfPair }))
      .meta({ description: `Pairs across splits first; at most ${MOST_PAIRS}` }),
    totals: z.object({ patient: z.int(), same: z.int(), alike: z.int() }).meta({
      description:
        'Total number of pairs: patients in two splits, identical files and near-duplicate images of two patients',
    }),
    images: z.int().meta({ description: 'Number of image files in the table' }),
    unreadable: z
      .int()
      .meta({ description: 'Number of images that were not compared because they cannot be read' }),
    compared: z.boolean().meta({
      description:
        'Whether images were compared for near-duplicates; false if there are too many images. Files and patients are always compared',
    }),
    digest,
  })
  .meta({ id: 'LeaksFound' })
export type LeaksFound = z.infer<typeof LeaksFound>

const ImageOfCase = z.strictObject({
  row: z.int().min(0),
  image: z.int().min(0).meta({ description: 'Index of the image column, from 0' }),
})

export const ThumbnailsRequest = z
  .strictObject({
    rows: z.array(z.int().min(0)).min(1).max(MOST_PICTURES),
    image: z.int().min(0).max(10_000).default(0).meta({ title: 'Index of the image column, from 0' }),
    size: z.literal(IMAGE_SIZES).default(192),
  })
  .meta({ id: 'ThumbnailsRequest' })

/** Location and columns of a dataset, as the worker receives them. */
const DatasetPlace = z.strictObject({
  path: z.string(),
  image_root: z.string().nullable(),
  roles: z
    .record(z.string(), z.enum(COLUMN_ROLES))
    .meta({ description: 'Column → role; empty for a folder per class' }),
  classes: z.array(z.string()).nullable(),
  roots: z.array(z.string()),
  cache_dir: z.string(),
  recipe: Recipe.optional(),
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
  preview_cases: {
    params: z.strictObject({
      dataset: DatasetPlace,
      rows: z.int().min(1),
      most_images: z.int().min(0),
      most_columns: z.int().min(1),
      view: ImageView,
    }),
    result: CasesPreview,
  },
  leaks: {
    params: z.strictObject({ dataset: DatasetPlace, data: Reading, most_pairs: z.int() }),
    result: LeaksFound,
  },
  file_image: {
    params: z.strictObject({
      path: z.string().meta({ description: 'Absolute' }),
      view: ImageView,
      cache_dir: z.string(),
    }),
    result: Picture,
  },
  image_info: {
    params: z.strictObject({ dataset: DatasetPlace, image: ImageOfCase, data: Reading }),
    result: ImageInfo,
  },
} as const
