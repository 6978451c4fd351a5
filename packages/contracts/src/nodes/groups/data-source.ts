import { z } from 'zod'
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
    description: 'The column that is learned; left empty, that of the dataset, or inferred by its name.',
  }),
  label_columns: fromTraining('data', 'label_columns', {
    title: 'Label columns',
    description:
      'Several columns of yes or no that are learned together, in the place of one label column; with the task multilabel of BuildModel.',
  }),
  time_column: fromTraining('data', 'time_column', {
    title: 'Time column',
    description:
      'Survival: the column of how long a case was followed; with event_column, and the task survival of BuildModel.',
  }),
  event_column: fromTraining('data', 'event_column', {
    title: 'Event column',
    description: 'Survival: the column that says whether the event happened at that time.',
  }),
  patient_column: field(trainingSchema('data', 'patient_column'), {
    title: 'Patient column',
    description:
      'The column that names the patient of a row; left empty, that of the dataset, or inferred by its name.',
  }),
  ignore_columns: field(trainingSchema('data', 'ignore_columns'), {
    title: 'Ignored columns',
    description:
      'Columns that are left out of the cases, beside those of the dataset: no later node reads them.',
  }),
  positive_class: field(trainingSchema('data', 'positive_class'), {
    title: 'Positive class',
    description:
      'Of two classes the one that sensitivity speaks of; left empty, the one of the dataset, or whose name is no negation.',
  }),
}

const SLICES = {
  title: 'Slices of volumes',
  description:
    'How many slices stand for a volume, in which plane, and spread over what has content or over everything.',
} as const

export const DATA_SOURCE_NODES = {
  LoadDataset: {
    group: 'Data source',
    title: 'Load dataset',
    summary: 'Takes a registered dataset, or one split of it: its images, its table and its labels.',
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
        description: 'The rows to take: one value of the split column, or all rows.',
      }),
      shuffle: field(z.boolean().default(false), {
        title: 'Shuffle',
        description: 'Puts the rows into a random order that depends on the seed alone.',
      }),
      seed: field(trainingSchema('training', 'seed'), {
        title: 'Seed',
        description: 'The same seed gives the same order of rows.',
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
    summary: 'Reads an image file, or every image file of a folder; each file is one case named after it.',
    runs: 'worker',
    resource: 'io',
    version: 2,
    software: 'data',
    inputs: [],
    outputs: [
      { name: 'images', type: 'image', title: 'Images' },
      { name: 'paths', type: 'path', kind: 'image_paths', title: 'Paths of the files' },
    ],
    config: z.strictObject({
      path: field(path, { title: 'Path', description: 'An image file or a folder of them.', reads: 'path' }),
      format: field(z.enum(['DICOM', 'NIfTI', 'PNG', 'JPG']).nullable().default(null), {
        title: 'Format',
        description: 'Only files of this format are read; left empty, every image format is.',
      }),
      recursive: field(z.boolean().default(true), {
        title: 'Include sub-folders',
        description: 'Reads the files of sub-folders too.',
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
      { name: 'columns', type: 'config', kind: 'columns', title: 'Columns and their roles' },
    ],
    config: z.strictObject({
      path: field(path, { title: 'Path', description: 'The file that holds the table.', reads: 'table' }),
      format: field(z.enum(['CSV', 'Excel', 'JSON']).nullable().default(null), {
        title: 'Format',
        description: 'Format of the file; left empty, the ending of its name says it.',
      }),
      encoding: field(
        z
          .enum([
            'auto',
            'utf-8',
            'utf-16',
            'cp1252',
            'iso-8859-1',
            'iso-8859-15',
            'gb18030',
            'shift_jis',
            'euc-kr',
          ])
          .default('auto'),
        {
          title: 'Text encoding',
          description:
            'Encoding of a CSV file; auto takes the byte-order mark, then UTF-8, and refuses the rest.',
        },
      ),
      ...columnRoles,
    }),
    lineage: [{ relation: 'source', output: 'dataframe', named_by: 'path' }],
    infer: ({ config }) => ({
      outputs: { dataframe: { table: true, ...(namedLabels(config).length === 0 ? {} : { labels: true }) } },
    }),
  },
} as const satisfies Record<string, NodeDefinition>
