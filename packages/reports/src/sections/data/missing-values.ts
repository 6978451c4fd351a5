import {
  type EvaluationResult,
  IMPUTATIONS,
  type Job,
  type Prepared,
  type TrainingConfig,
} from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { countOf, DASH, formatShare } from '../../document/numbers.js'
import { sortBySplit } from './split-order.js'

type Parts = NonNullable<Prepared['missing']>

/** Treatment of missing values in a training. */
const TREATMENT: Record<TrainingConfig['data']['missing_strategy'], string> = {
  token: 'Missing values are not imputed: the network learns a token for each column.',
  drop: 'Cases with a missing table value were excluded.',
  mean: 'Missing numbers were replaced by the mean of the training cases, and missing categories by the most frequent category.',
  median:
    'Missing numbers were replaced by the median of the training cases, and missing categories by the most frequent category.',
  mode: 'Missing values were replaced by the most frequent value of the training cases.',
}

type DataSettings = TrainingConfig['data']

/** Reports whether the model receives an indicator of replaced values. */
export function hasIndicator({ missing_strategy, missing_indicator }: DataSettings): boolean {
  return IMPUTATIONS.includes(missing_strategy) && missing_indicator
}

/** Treatment of missing values, in a sentence. */
export function treatmentOf(data: DataSettings): string {
  const treatment = TREATMENT[data.missing_strategy]
  if (!IMPUTATIONS.includes(data.missing_strategy)) return treatment
  return hasIndicator(data)
    ? `${treatment} The model also receives a missing indicator for each column with missing values in the training cases.`
    : `${treatment} The model receives no missing indicators.`
}

/** Number of missing values in the table of each split of a training, before imputation. */
export function missingInTraining({ prepared, config }: Job): Block[] {
  const parts = prepared?.missing
  if (!parts || Object.keys(parts).length === 0) return []
  return missingTable('Missing values in the training tables', parts, treatmentOf(config.data))
}

/** Number of missing values of the evaluated cases. */
export function missingInEvaluation({ missing, num_cases, split }: EvaluationResult): Block[] {
  if (Object.keys(missing).length === 0) return []
  return missingTable('Missing values of the evaluated cases', {
    [split]: { cases: num_cases, columns: missing },
  })
}

function missingTable(caption: string, parts: Parts, treatment?: string): Block[] {
  const named = sortBySplit(parts)
  const columns = [...new Set(named.flatMap(([, part]) => Object.keys(part.columns)))]
  const total = (column: string) => named.reduce((sum, [, part]) => sum + (part.columns[column] ?? 0), 0)
  const incomplete = columns.filter((column) => total(column) > 0).sort((a, b) => total(b) - total(a))
  const complete = columns.filter((column) => total(column) === 0)
  const headings = named.map(([name, { cases }]) => `${name} (${countOf(cases, 'case')})`)
  if (incomplete.length === 0) return [paragraph(`There are no missing values: ${headings.join(', ')}.`)]
  return [
    table(
      `${caption}: number of cases (share of the split)`,
      ['Column', ...headings.map(numeric)],
      incomplete.map((column): Cell[] => [column, ...named.map(([, part]) => cell(part, column))]),
      [
        ...(complete.length > 0 ? [`Columns without missing values: ${complete.join(', ')}.`] : []),
        ...(treatment ? [treatment] : []),
      ],
    ),
  ]
}

function cell({ cases, columns }: Parts[string], column: string): Cell {
  const count = columns[column]
  // The images of excluded rows are never read.
  if (count === undefined) return DASH
  return { text: formatShare(count, cases), share: cases > 0 ? count / cases : 0 }
}
