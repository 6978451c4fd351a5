import {
  type BaselineResult,
  COMPARED_METRICS,
  type EvaluationResult,
  metricOf,
  thresholdChosen,
} from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../document/document.js'
import { differenceInterval, formatDifference, formatMetric, metricName } from '../document/metric-names.js'
import { countOf, DASH } from '../document/numbers.js'
import { withInterval } from './interval-cells.js'

/** Summary in a paragraph: the verdict, and the decisive metric. Empty if the training has no baselines. */
export function baselineSummary(result: EvaluationResult): Block[] {
  const baselines = result.baselines ?? []
  const [first] = baselines
  if (!first) return []
  const { metric } = first.verdict
  const values = [{ title: 'this model', metrics: result.metrics }, ...baselines].map(
    (one) => `${one.title} ${formatMetric(metric, one.metrics[metric])}`,
  )
  const text = `${verdictText(baselines)} ${metricName(metric).label}: ${values.join(', ')}.`
  return [paragraph(text)]
}

/** The model compared with baselines on the same cases; null if the training has none. */
export function baselineSection(result: EvaluationResult): Section | null {
  const baselines = result.baselines ?? []
  if (baselines.length === 0) return null
  const keys = COMPARED_METRICS[result.task].filter((key) => key in result.metrics)
  return {
    id: 'baselines',
    title: 'Compared with baselines',
    blocks: [
      paragraph(`${verdictText(baselines)} ${MEANING}${thresholdSource(result)} ${fittedRows(baselines)}`),
      estimatesTable(result, keys),
      table(
        'Differences: this model minus each baseline',
        ['Compared with', ...keys.map((key) => numeric(metricName(key).label))],
        baselines.map(({ title, differences }) => [
          title,
          ...keys.map((key) => difference(key, differences[key])),
        ]),
        [
          'A positive difference means that this model has the larger value, which is better except for errors and losses.',
        ],
      ),
      table(
        'How the baselines were fitted',
        ['Baseline', 'Fitted on', 'Settings'],
        baselines.map(({ title, fitted_on, settings }) => [title, rowsOf(fitted_on), settings]),
      ),
    ],
  }
}

function estimatesTable({ split, metrics, intervals, baselines }: EvaluationResult, keys: readonly string[]) {
  const rows = [{ title: 'this model', metrics, intervals }, ...(baselines ?? [])]
  return table(
    `This model and the baselines on the ${split} split: estimate (95% CI)`,
    ['Model', ...keys.map((key) => numeric(metricName(key).label))],
    rows.map((one) => [
      one.title,
      ...keys.map((key) => withInterval(key, one.metrics[key], one.intervals[key])),
    ]),
  )
}

const INCONCLUSIVE = 'A difference that is not significant does not show that the models are equally good.'
const MEANING =
  'The baselines were applied to the same cases as this model. Their settings were chosen by inner cross-validation on the rows on which they were fitted.'
const OLDER =
  'The baselines were fitted on the training cases only. Networks that each leave out a different fold were also trained on the validation cases, so part of a difference may come from these additional cases.'

/** Origin of the thresholds; empty for outcomes without thresholds. The baselines use the same validation cases as the model. */
function thresholdSource(result: EvaluationResult): string {
  const { task, threshold_reason: reason } = result
  if (thresholdChosen(result))
    return ' Their thresholds, like that of this model, were chosen on the validation split.'
  if (!reason) return ''
  return task === 'multilabel'
    ? ` Some thresholds of this model and the baselines have the default of 0.5 (${reason}).`
    : ` This model and the baselines use the default threshold of 0.5 (${reason}).`
}

/** States whether the baselines were fitted on the same rows as the model. */
function fittedRows(baselines: readonly BaselineResult[]): string {
  const known = baselines.flatMap(({ title, fitted_on }) => (fitted_on ? [{ title, ...fitted_on }] : []))
  if (known.length < baselines.length) return OLDER
  const fewer = known.filter(({ same_as_model }) => !same_as_model).map(({ title }) => title)
  const outOfFold = known.some(({ splits }) => splits.includes('val'))
    ? ' If these rows include validation cases, each validation case is predicted by a fit that excludes its fold.'
    : ''
  if (fewer.length === 0) return `The baselines were fitted on the same rows as this model.${outOfFold}`
  return `This model was trained on more cases than ${fewer.join(', ')}, so part of a difference may come from these additional cases.${outOfFold}`
}

function rowsOf(fittedOn: BaselineResult['fitted_on']): string {
  if (!fittedOn) return DASH
  const splits = fittedOn.splits.includes('val') ? 'training and validation' : 'training'
  return `${countOf(fittedOn.cases, `${splits} case`)}`
}

/** Verdicts in words, the worst first: a better baseline is the most important finding. */
export function verdictText(baselines: readonly BaselineResult[]): string {
  const order = ['worse', 'inconclusive', 'not_better', 'undecided', 'better']
  const verdicts = baselines
    .map(({ verdict }) => verdict)
    .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
  const text = `This model is ${verdicts.map((verdict) => verdict.text).join('; ')}.`
  const has = (...kinds: readonly string[]) => verdicts.some(({ verdict }) => kinds.includes(verdict))
  if (has('worse')) return `${text} A baseline performs better on these cases.`
  return has('inconclusive', 'not_better') ? `${text} ${INCONCLUSIVE}` : text
}

function difference(key: string, found: BaselineResult['differences'][string] | undefined): Cell {
  if (!found || found.estimate === null) return DASH
  const text = formatDifference(key, found.estimate)
  const below = differenceInterval(key, found)
  return below === DASH ? text : { text, below }
}

/** Verdict on the best baseline, for the headline of a report. */
export function baselineFact(result: EvaluationResult): { term: string; value: string; note: string } | null {
  const baselines = result.baselines ?? []
  const [first] = baselines
  if (!first) return null
  const { metric } = first.verdict
  const sign = metricOf(metric)?.better === 'lower' ? -1 : 1
  const worth = ({ metrics }: BaselineResult) => sign * (metrics[metric] ?? -sign * Number.MAX_VALUE)
  const best = baselines.reduce((one, other) => (worth(other) > worth(one) ? other : one))
  return {
    term: `Best baseline, ${metricName(metric).label}`,
    value: formatMetric(metric, best.metrics[metric]),
    note: `this model is ${best.verdict.text}`,
  }
}
