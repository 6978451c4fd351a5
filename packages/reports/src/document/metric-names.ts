import { type Metric, metricOf, type Task } from '@medloom/contracts'
import { DASH, formatNumber, formatUnit, withMinus } from './numbers.js'

export interface PrintedMetric {
  readonly label: string
  readonly meaning: string
}

/**
 * Printed name and definition of a metric. A prefix (`macro_auc`, `val_loss`) precedes the name; an unknown metric has its key as its name. task: the
 * task whose definition is meant, where it differs between tasks.
 */
export function metricName(key: string, task?: Task): PrintedMetric {
  const found = rowOf(key)
  if (!found) return { label: key.replaceAll('_', ' '), meaning: '' }
  const { label, meanings } = found.row
  const meaning = (task && meanings?.[task]) ?? found.row.meaning
  return { label: found.prefix ? `${PREFIXES[found.prefix]} ${inSentence(label.en)}` : label.en, meaning }
}

function rowOf(key: string): { readonly row: Metric; readonly prefix?: keyof typeof PREFIXES } | null {
  const row = metricOf(key)
  if (row) return { row }
  for (const prefix of Object.keys(PREFIXES) as (keyof typeof PREFIXES)[]) {
    const base = key.startsWith(prefix) ? metricOf(key.slice(prefix.length)) : undefined
    if (base) return { row: base, prefix }
  }
  return null
}

/** Reports whether differences of the metric can share an axis with those of others. */
export function isBounded(key: string): boolean {
  const scale = rowOf(key)?.row.scale
  return scale === 'share' || scale === 'correlation' || scale === 'below_one'
}

const PREFIXES = {
  val_: 'Validation',
  train_: 'Training',
  macro_: 'Macro',
  micro_: 'Micro',
  weighted_: 'Weighted',
}

/** `Accuracy` → `accuracy`, but `AUROC` and `F1 score` are unchanged. */
export function inSentence(label: string): string {
  const isName = /^(Brier|Hamming|[A-Z][a-z]+'s)\b/.test(label)
  return /^[A-Z][a-z]/.test(label) && !isName ? label.charAt(0).toLowerCase() + label.slice(1) : label
}

/** Reports whether the metric is a number from 0 to 1. */
export function isShare(key: string): boolean {
  return rowOf(key)?.row.scale === 'share'
}

export function formatMetric(key: string, value: number | null | undefined): string {
  return isShare(key) ? formatUnit(value) : formatNumber(value)
}

/** Change of a metric: three decimals, so that it matches the ends of its interval; in units of the label like any number. */
export function formatChange(key: string, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH
  if (metricOf(key)?.in_label_units) return formatNumber(value)
  const text = value.toFixed(3)
  return Number(text) === 0 ? text.replace('-', '') : withMinus(text)
}

/** The same with an explicit sign for positive values. */
export function formatDifference(key: string, value: number | null | undefined): string {
  const text = formatChange(key, value)
  const isPositive = typeof value === 'number' && value > 0 && /[1-9]/.test(text)
  return isPositive ? `+${text}` : text
}

/** `+0.012 to +0.034` */
export function differenceInterval(
  key: string,
  { low, high }: { readonly low: number | null; readonly high: number | null },
): string {
  if (low === null || high === null) return DASH
  return `${formatDifference(key, low)} to ${formatDifference(key, high)}`
}
