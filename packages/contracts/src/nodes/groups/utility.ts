import { z } from 'zod'
import { phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { field, type NodeDefinition } from '../definition.js'
import { trainingSchema } from '../training-fields.js'
import { missingColumn } from './missing-column.js'

const ratio = (share: number, title: string, part: string) =>
  field(z.number().min(0).max(1).default(share), {
    title,
    description: `Share of the patients ${part}. The three shares add up to 1.`,
  })

export const UTILITY_NODES = {
  DataSplit: {
    group: 'Utility',
    title: 'Split data',
    summary:
      'Divides the cases into training, validation and test splits. All cases of a patient are in the same split.',
    runs: 'worker',
    resource: 'cpu',
    version: 2,
    software: 'data',
    inputs: [{ name: 'dataset', type: 'dataset', title: 'Dataset' }],
    outputs: [
      { name: 'train_dataset', type: 'dataset', title: 'Training split', carries: 'dataset' },
      { name: 'val_dataset', type: 'dataset', title: 'Validation split', carries: 'dataset' },
      { name: 'test_dataset', type: 'dataset', title: 'Test split', carries: 'dataset' },
    ],
    config: z
      .strictObject({
        train_ratio: ratio(0.7, 'Training share', 'in the training split'),
        val_ratio: ratio(
          0.15,
          'Validation share',
          'in the validation split, on which the best epoch and the threshold are chosen',
        ),
        test_ratio: ratio(0.15, 'Test share', 'in the test split, which is used for evaluation only'),
        stratify: field(z.boolean().default(true), {
          title: 'Stratify',
          description: 'Keeps the class proportions the same in all splits.',
        }),
        seed: field(trainingSchema('training', 'seed'), {
          title: 'Seed',
          description: 'Seed of the random split.',
        }),
      })
      .superRefine(({ train_ratio, val_ratio, test_ratio }, context) => {
        const sum = train_ratio + val_ratio + test_ratio
        if (Math.abs(sum - 1) < 1e-9 && train_ratio > 0) return
        context.addIssue({
          code: 'custom',
          path: ['train_ratio'],
          ...refusal(
            train_ratio > 0
              ? phrase('shares_not_one', { sum: String(Number(sum.toFixed(6))) })
              : phrase('no_training_share'),
            phrase('such_shares'),
          ),
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
    summary: 'Combines the cases of two or more datasets. Columns must have the same names and types.',
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
        description: 'One dataset after the other, or alternating between the datasets.',
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
      'Keeps the cases or predictions that meet a condition. After preprocessing, the condition applies to preprocessed values.',
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
          'Comparisons with and, or, not, in (…) and is missing. Example: age >= 18 and sex in ("f", "m"). For predictions: correct = false.',
      }),
      filter_column: field(z.string().min(1).max(1000).nullable().default(null), {
        title: 'Column',
        description: 'The column to which a condition without a column name applies, such as >= 18.',
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
