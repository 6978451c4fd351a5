import { nearest } from '@medloom/contracts'
import type { Described, Describer } from './infer.js'

/** Images may come without a table, and a table without images: nothing travels along then. */
function lacking(port: string, what: string): NonNullable<Described['issues']>[number] {
  return {
    severity: 'error',
    code: 'FACET_MISSING',
    message: `the data that arrive at "${port}" have no ${what}`,
    port,
    hint: 'Connect LoadDataset, or what it feeds.',
  }
}

/** What can be said of outputs without looking at any file. */
export const DESCRIBERS: Readonly<Record<string, Describer>> = {
  LoadImage: () => ({ outputs: { images: { images: true, table: false } } }),

  LoadTabular: () => ({ outputs: { dataframe: { table: true } } }),

  ImagePreprocess: ({ resize }, { images }) => {
    const { width, height } = resize as { width: number; height: number }
    return {
      outputs: { processed_images: { shape: [images?.cases ?? null, 3, height, width] } },
      issues: images?.images === false ? [lacking('images', 'images')] : [],
    }
  },

  DataAugmentation: (_, { images }) => ({
    issues: images?.images === false ? [lacking('images', 'images')] : [],
  }),

  TabularPreprocess: (_, { dataframe }) => ({
    issues: dataframe?.table === false ? [lacking('dataframe', 'table')] : [],
  }),

  // The number of rows that remain is not known before.
  FilterData: ({ filter_column }, { dataset }) => {
    const columns = dataset?.columns
    const outputs = { filtered_dataset: { cases: undefined } }
    if (typeof filter_column !== 'string' || !columns || columns.includes(filter_column)) return { outputs }
    const guess = nearest(filter_column, columns)
    return {
      outputs,
      issues: [
        {
          severity: 'error',
          code: 'COLUMN_NOT_FOUND',
          message: `the data set has no column "${filter_column}"`,
          field: 'filter_column',
          hint: guess ? `Did you mean "${guess}"?` : `It has ${columns.slice(0, 20).join(', ')}.`,
        },
      ],
    }
  },

  DataSplit: ({ train_ratio, val_ratio, test_ratio }, { dataset }) => {
    const part = (ratio: unknown) => ({
      cases: dataset?.cases === undefined ? undefined : Math.round(dataset.cases * Number(ratio)),
    })
    return {
      outputs: {
        train_dataset: part(train_ratio),
        val_dataset: part(val_ratio),
        test_dataset: part(test_ratio),
      },
    }
  },

  MergeDatasets: (_, arriving) => {
    const cases = Object.values(arriving).map((value) => value.cases)
    const all = cases.every((count) => count !== undefined)
      ? cases.reduce((sum, count) => sum + (count ?? 0), 0)
      : undefined
    return { outputs: { merged_dataset: { cases: all } } }
  },

  EvaluateModel: (_, { model, test_dataset }) => {
    const classes = test_dataset?.classes
    return {
      outputs: classes ? { confusion_matrix: { shape: [classes.length, classes.length], classes } } : {},
      issues:
        model && model.kind === undefined
          ? [
              {
                severity: 'warning',
                code: 'UNTRAINED_MODEL',
                message: 'the model that arrives has not been trained',
                port: 'model',
                hint: 'Connect TrainModel.trained_model.',
              },
            ]
          : [],
    }
  },
}
