import { z } from 'zod'
import { field, type NodeDefinition } from '../definition.js'
import type { InferOutputs } from '../inference.js'
import { trainingSchema } from '../training-fields.js'

/** Columns, classes and counts of a registered data set are known before anything runs. */
const describeDataset: InferOutputs = ({ config: { dataset_id, split }, outside }) => {
  const dataset = outside.datasets?.get(String(dataset_id))
  if (!dataset) return {}
  const leftOut = dataset.ignore_columns ?? []
  return {
    outputs: {
      dataset: {
        columns: dataset.columns.flatMap(({ name, role }) =>
          role === 'image' || leftOut.includes(name) ? [] : [name],
        ),
        images: dataset.columns.some(({ role }) => role === 'image') || dataset.kind === 'image',
        table: dataset.columns.some(({ role }) => role === 'numeric' || role === 'categorical'),
        labels: dataset.task !== null,
        cases: split === 'all' ? dataset.num_cases : dataset.splits[String(split)],
        ...(dataset.task === null ? {} : { classes: dataset.classes?.map(({ name }) => name) ?? null }),
      },
    },
  }
}

const path = z.string().min(1).max(4096)

export const DATA_SOURCE_NODES = {
  LoadDataset: {
    group: 'Data source',
    title: 'Load dataset',
    summary: 'Takes a registered dataset, or one split of it: its images, its table and its labels.',
    runs: 'worker',
    resource: 'io',
    version: 2,
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
    version: 1,
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
    }),
    lineage: [{ relation: 'unidentified', output: 'images' }],
    infer: () => ({ outputs: { images: { images: true, table: false } } }),
  },
  LoadTabular: {
    group: 'Data source',
    title: 'Load table',
    summary: 'Reads a table from a file; each row is one case.',
    runs: 'worker',
    resource: 'io',
    version: 1,
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
    }),
    lineage: [{ relation: 'source', output: 'dataframe', named_by: 'path' }],
    infer: () => ({ outputs: { dataframe: { table: true } } }),
  },
} as const satisfies Record<string, NodeDefinition>
