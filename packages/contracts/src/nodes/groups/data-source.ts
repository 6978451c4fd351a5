import { z } from 'zod'
import { TABLE_FORMATS, TEXT_ENCODINGS } from '../../configuration/index.js'
import type { Inspection } from '../../datasets.js'
import { field, type NodeDefinition } from '../definition.js'
import type { InferOutputs } from '../inference.js'
import { fromTraining, trainingSchema } from '../training-fields.js'
import { missingColumn } from './missing-column.js'

/** Columns, classes and counts of a registered dataset are known before a run. */
const describeDataset: InferOutputs = ({ config, outside }) => {
  const { dataset_id, split } = config
  const named = namedLabels(config)
  const dataset = outside.datasets?.get(String(dataset_id))
  if (!dataset) return named.length === 0 ? {} : { outputs: { dataset: { labels: true } } }
  const ignored = config.ignore_columns as string[]
  const leftOut = [...(dataset.ignore_columns ?? []), ...ignored]
  const names = dataset.columns.map(({ name }) => name)
  return {
    outputs: {
      dataset: {
        columns: dataset.columns.flatMap(({ name, role }) =>
          role === 'image' || leftOut.includes(name) ? [] : [name],
        ),
        images: dataset.columns.some(({ role }) => role === 'image') || dataset.kind === 'image',
        table: dataset.columns.some(({ role }) => role === 'numeric' || role === 'categorical'),
        labels: named.length > 0 || dataset.task !== null,
        cases: split === 'all' ? dataset.num_cases : dataset.splits[String(split)],
        ...classesOf(dataset, config),
      },
    },
    issues: [
      ...LABEL_FIELDS.flatMap((field) =>
        [config[field]].flat().flatMap((column) => missingColumn(field, column, names)),
      ),
      ...missingColumn('patient_column', config.patient_column, names),
      ...ignored.flatMap((column) => missingColumn('ignore_columns', column, names)),
    ],
  }
}

const LABEL_FIELDS = ['label_column', 'label_columns', 'time_column', 'event_column'] as const

/** Columns that the node names as the label. */
function namedLabels(config: Readonly<Record<string, unknown>>): unknown[] {
  return LABEL_FIELDS.flatMap((field) => config[field] ?? [])
}

/** If only the node names the label, its classes are unknown; survival data has no classes. */
function classesOf(
  dataset: Pick<Inspection, 'task' | 'classes'>,
  config: Readonly<Record<string, unknown>>,
): { classes?: string[] | null } {
  if (Array.isArray(config.label_columns)) return { classes: config.label_columns.map(String) }
  if (config.time_column !== null) return { classes: null }
  if (config.label_column !== null || dataset.task === null) return {}
  return { classes: dataset.task === 'survival' ? null : (dataset.classes?.map(({ name }) => name) ?? null) }
}

const path = z.string().min(1).max(4096)

/** Roles of columns, for cases in which their names are ambiguous or a registered dataset has other roles. */
const columnRoles = {
  label_column: field(trainingSchema('data', 'label_column'), {
    title: 'Label column',
    description:
      'The column that the model predicts. Default: the label column of the dataset, or inferred from the name.',
  }),
  label_columns: fromTraining('data', 'label_columns', {
    title: 'Label columns',
    description:
      'Several columns with yes or no that the model predicts together, instead of one label column. Requires the task multilabel in BuildModel.',
  }),
  time_column: fromTraining('data', 'time_column', {
    title: 'Time column',
    description:
      'Survival: the column of the follow-up time. Requires event_column, and the task survival in BuildModel.',
  }),
  event_column: fromTraining('data', 'event_column', {
    title: 'Event column',
    description: 'Survival: the column that states whether the event occurred at that time.',
  }),
  patient_column: field(trainingSchema('data', 'patient_column'), {
    title: 'Patient column',
    description:
      'The column with the patient id of each row. Default: the patient column of the dataset, or inferred from the name.',
  }),
  ignore_columns: field(trainingSchema('data', 'ignore_columns'), {
    title: 'Ignored columns',
    description:
      'Columns that are excluded in addition to those that the dataset excludes. No later node reads them.',
  }),
  positive_class: field(trainingSchema('data', 'positive_class'), {
    title: 'Positive class',
    description:
      'The class to which sensitivity refers, for two classes. Default: the positive class of the dataset, or the class whose name is not a negation.',
  }),
}

const SLICES = {
  title: 'Volume slices',
  description:
    'Number of slices that represent a volume, their plane, and their distribution over the slices with content or over the whole volume.',
} as const

export const DATA_SOURCE_NODES = {
  LoadDataset: {
    group: 'Data source',
    title: 'Load dataset',
    summary: 'Loads a registered dataset or one split of it: images, table and labels.',
    runs: 'worker',
    resource: 'io',
    version: 8,
    software: 'data',
    inputs: [],
    outputs: [
      { name: 'dataset', type: 'dataset', title: 'Dataset' },
      { name: 'metadata', type: 'config', kind: 'metadata', title: 'Columns, counts and classes' },
    ],
    config: z.strictObject({
      dataset_id: field(z.string().min(1).max(200), {
        title: 'Dataset',
        description: 'Identifier of a registered dataset.',
        reads: 'dataset',
      }),
      split: field(z.enum(['train', 'val', 'test', 'all']).default('all'), {
        title: 'Split',
        description: 'The rows to load: one value of the split column, or all rows.',
      }),
      shuffle: field(z.boolean().default(false), {
        title: 'Shuffle',
        description: 'Shuffles the rows in an order that depends only on the seed.',
      }),
      seed: field(trainingSchema('training', 'seed'), {
        title: 'Seed',
        description: 'Seed of the order of the rows.',
      }),
      ...columnRoles,
      slices: fromTraining('data', 'slices', SLICES),
    }),
    lineage: [
      {
        relation: 'source',
        output: 'dataset',
        named_by: 'dataset_id',
        part: { field: 'split', whole: 'all' },
      },
    ],
    infer: describeDataset,
  },
  LoadImage: {
    group: 'Data source',
    title: 'Load images',
    summary:
      'Reads an image file, or all image files of a folder. Each file is one case, named after the file.',
    runs: 'worker',
    resource: 'io',
    version: 3,
    software: 'data',
    inputs: [],
    outputs: [
      { name: 'images', type: 'image', title: 'Images' },
      { name: 'paths', type: 'path', kind: 'image_paths', title: 'File paths' },
    ],
    config: z.strictObject({
      path: field(path, { title: 'Path', description: 'An image file or a folder of them.', reads: 'path' }),
      format: field(z.enum(['DICOM', 'NIfTI', 'PNG', 'JPG']).nullable().default(null), {
        title: 'Format',
        description: 'Reads only files of this format. Default: all image formats.',
      }),
      recursive: field(z.boolean().default(true), {
        title: 'Include subfolders',
        description: 'Also reads the files in subfolders.',
      }),
      join_by: field(z.string().min(1).nullable().default(null), {
        title: 'Join by',
        description:
          'When the images are joined with a table: the column whose values name them, with or without file extension. Default: found by its values.',
      }),
      slices: fromTraining('data', 'slices', {
        ...SLICES,
        before_it_existed: { count: 3, axis: 'axial', spread: 'volume' },
      }),
    }),
    lineage: [{ relation: 'unidentified', output: 'images' }],
    infer: () => ({ outputs: { images: { images: true, table: false, labels: false } } }),
  },
  LoadTabular: {
    group: 'Data source',
    title: 'Load table',
    summary: 'Reads a table from a file; each row is one case.',
    runs: 'worker',
    resource: 'io',
    version: 5,
    software: 'data',
    inputs: [],
    outputs: [
      { name: 'dataframe', type: 'tabular', title: 'Table' },
      { name: 'columns', type: 'config', kind: 'columns', title: 'Columns and roles' },
    ],
    config: z.strictObject({
      path: field(path, { title: 'Path', description: 'The file that contains the table.', reads: 'table' }),
      format: field(z.enum(TABLE_FORMATS).nullable().default(null), {
        title: 'Format',
        description: 'Format of the file. Default: inferred from the file name extension.',
      }),
      encoding: field(z.enum(['auto', ...TEXT_ENCODINGS]).default('auto'), {
        title: 'Text encoding',
        description:
          'Encoding of a CSV file. auto uses the byte-order mark, or UTF-8 without one, and rejects other encodings.',
      }),
      ...columnRoles,
    }),
    lineage: [{ relation: 'source', output: 'dataframe', named_by: 'path' }],
    infer: ({ config }) => ({
      outputs: { dataframe: { table: true, ...(namedLabels(config).length === 0 ? {} : { labels: true }) } },
    }),
  },
} as const satisfies Record<string, NodeDefinition>
