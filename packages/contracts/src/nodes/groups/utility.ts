import { z } from 'zod'
import { field, type NodeDefinition } from '../definition.js'
import { trainingSchema } from '../training-fields.js'
import { missingColumn } from './missing-column.js'

const ratio = (share: number, title: string, part: string) =>
  field(z.number().min(0).max(1).default(share), {
    title,
    description: `Share of the patients that ${part}; the three shares add up to 1.`,
  })

export const UTILITY_NODES = {
  DataSplit: {
    group: 'Utility',
    title: 'Split data',
    summary:
      'Divides the cases into training, validation and test parts; all cases of a patient stay together.',
    runs: 'worker',
    resource: 'cpu',
    version: 2,
    software: 'data',
    inputs: [{ name: 'dataset', type: 'dataset', title: 'Dataset' }],
    outputs: [
      { name: 'train_dataset', type: 'dataset', title: 'Training part', carries: 'dataset' },
      { name: 'val_dataset', type: 'dataset', title: 'Validation part', carries: 'dataset' },
      { name: 'test_dataset', type: 'dataset', title: 'Test part', carries: 'dataset' },
    ],
    config: z
      .strictObject({
        train_ratio: ratio(0.7, 'Training share', 'the model learns from'),
        val_ratio: ratio(0.15, 'Validation share', 'choose the best epoch and the threshold'),
        test_ratio: ratio(0.15, 'Test share', 'are kept for the evaluation'),
        stratify: field(z.boolean().default(true), {
          title: 'Stratify',
          description: 'Keeps the proportions of the classes alike in all parts.',
        }),
        seed: field(trainingSchema('training', 'seed'), {
          title: 'Seed',
          description: 'The same seed gives the same parts.',
        }),
      })
      .superRefine(({ train_ratio, val_ratio, test_ratio }, context) => {
        const sum = train_ratio + val_ratio + test_ratio
        if (Math.abs(sum - 1) < 1e-9 && train_ratio > 0) return
        context.addIssue({
          code: 'custom',
          path: ['train_ratio'],
          message:
            train_ratio > 0
              ? `the three shares add up to ${Number(sum.toFixed(6))}, not 1`
              : 'nothing is left to learn from',
          params: { hint: 'For example 0.7, 0.15 and 0.15.' },
        })
      }),
    lineage: [
      { relation: 'part_of', output: 'train_dataset', of: 'dataset' },
      { relation: 'part_of', output: 'val_dataset', of: 'dataset' },
      { relation: 'part_of', output: 'test_dataset', of: 'dataset' },
    ],
    infer: ({ config: { train_ratio, val_ratio, test_ratio }, inputs: { dataset } }) => {
      const part = (ratio: unknown) => ({ cases: casesOfShare(Number(ratio), dataset?.cases) })
      return {
        outputs: {
          train_dataset: part(train_ratio),
          val_dataset: part(val_ratio),
          test_dataset: part(test_ratio),
        },
      }
    },
  },
  MergeDatasets: {
    group: 'Utility',
    title: 'Merge datasets',
    summary: 'Puts the cases of two or more datasets into one; columns must agree in name and kind.',
    runs: 'worker',
    resource: 'io',
    version: 3,
    software: 'data',
    inputs: [
      { name: 'dataset1', type: 'dataset', title: 'First dataset' },
      { name: 'dataset2', type: 'dataset', title: 'Second dataset' },
      { name: 'dataset3', type: 'dataset', title: 'Further datasets', optional: true, multiple: true },
    ],
    outputs: [{ name: 'merged_dataset', type: 'dataset', title: 'Merged dataset', carries: 'dataset1' }],
    config: z.strictObject({
      merge_strategy: field(z.enum(['concat', 'interleave']).default('concat'), {
        title: 'Order of the cases',
        description: 'One dataset after the other, or one case of each in turn.',
      }),
    }),
    lineage: [{ relation: 'union_of', output: 'merged_dataset', of: ['dataset1', 'dataset2', 'dataset3'] }],
    infer: ({ inputs }) => {
      const counts = Object.values(inputs).map(({ cases }) => cases)
      const cases = counts.reduce(
        (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
        0,
      )
      return { outputs: { merged_dataset: { cases } } }
    },
  },
  FilterData: {
    group: 'Utility',
    title: 'Filter data',
    summary:
      'Keeps the cases, or the predictions of a model, that meet a condition; behind preprocessing it is about processed values.',
    runs: 'worker',
    resource: 'io',
    version: 3,
    software: 'data',
    inputs: [
      {
        name: 'dataset',
        type: 'dataset',
        title: 'Dataset, or predictions',
        passes_kinds: ['predictions'],
      },
    ],
    outputs: [{ name: 'filtered_dataset', type: 'dataset', title: 'Filtered dataset', carries: 'dataset' }],
    config: z.strictObject({
      filter_condition: field(z.string().min(1).max(10_000), {
        title: 'Condition',
        description:
          'Comparisons joined by and, or, not; in (…) and is missing, for example: age >= 18 and sex in ("f", "m"); of predictions: correct = false.',
      }),
      filter_column: field(z.string().min(1).max(1000).nullable().default(null), {
        title: 'Column',
        description: 'The column that a condition without a column name is about, for example: >= 18.',
      }),
    }),
    lineage: [{ relation: 'subset_of', output: 'filtered_dataset', of: 'dataset' }],
    infer: ({ config: { filter_column }, inputs: { dataset } }) => ({
      // The number of remaining cases is known only at run time.
      outputs: { filtered_dataset: { cases: undefined } },
      issues: missingColumn('filter_column', filter_column, dataset?.columns),
    }),
  },
} as const satisfies Record<string, NodeDefinition>

/** A share of 0 contains no cases, any other share at least one. */
function casesOfShare(share: number, all: number | undefined): number | undefined {
  if (share === 0) return 0
  return all === undefined ? undefined : Math.max(1, Math.round(all * share))
}
