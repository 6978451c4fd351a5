import {
  counted,
  type FollowUpCoverage,
  type FollowUpEvaluation,
  type FollowUpSeries,
  type FollowUpWithCoverage,
  PRIMARY_METRIC,
  SMALL_CELL,
} from '@medloom/contracts'
import { number, UNKNOWN } from '../../terminal/format.js'
import { formatTable } from '../../terminal/table.js'

type Interval = NonNullable<FollowUpEvaluation['development']>['intervals'][string]

const DAY = 'YYYY-MM-DD'.length
const KINDS: Readonly<Record<FollowUpSeries['kind'], string>> = {
  numeric: 'mean (SMD)',
  categorical: 'categories (PSI)',
  missing: 'missing values (share)',
  image: 'images unlike the training (share)',
  calibration_level: 'calibration in the large',
  calibration_slope: 'calibration slope',
}

export function followUpPage({ coverage, ...followUp }: FollowUpWithCoverage): string {
  return [
    `follow-up  ${followUp.name} (${followUp.follow_up_id})`,
    `model      ${followUp.model_id}`,
    `state      ${followUp.closed_at === null ? 'open' : `closed at ${followUp.closed_at}`}${followUp.silent ? ', silent' : ''}`,
    `id column  ${followUp.id_column ?? 'that of each request'}`,
    '',
    ...coverageLines(coverage),
  ].join('\n')
}

export function coverageLines({ windows, ...coverage }: FollowUpCoverage): string[] {
  const others = [
    [coverage.repeated, 'repeated'],
    [coverage.without_id, 'without an id'],
    [coverage.failed, 'without a prediction'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  return [
    `${counted(coverage.predicted, 'case')}, ${coverage.with_outcome} with an outcome, ${coverage.waiting} waiting`,
    ...(others.length > 0 ? [`not counted: ${others.join(', ')}`] : []),
    ...(windows.length === 0
      ? []
      : [
          '',
          formatTable(
            ['window', 'from', 'to', 'predicted', 'with outcome'],
            windows.map((one) => [
              ...[String(one.window), one.start.slice(0, DAY), one.end.slice(0, DAY)],
              ...[String(one.predicted), String(one.with_outcome)],
            ]),
          ),
        ]),
  ]
}

export function evaluationPage(evaluation: FollowUpEvaluation): string {
  const { model_id, coverage, reason, alpha, tests, evaluations } = evaluation
  return [
    `${model_id}: ${coverage.with_outcome} of ${counted(coverage.predicted, 'case')} with an outcome`,
    '',
    ...(reason === null ? [metricTable(evaluation), ''] : [`no result: ${reason}`, '']),
    ...updateLines(evaluation),
    ...alarmLines(evaluation.series),
    `${counted(tests, 'test')}; without a change, the probability of any alarm is at most ${number(alpha, 2)} in each evaluation. This is evaluation ${evaluations} of the follow-up.`,
    ...evaluation.series.flatMap(({ kind, reason }) =>
      reason === null ? [] : [`not tested: ${KINDS[kind]}: ${reason}`],
    ),
  ].join('\n')
}

/** The development, all windows, then each window. */
function metricTable({ development, result, windows }: FollowUpEvaluation): string {
  const main = result === null ? 'auc' : PRIMARY_METRIC[result.task]
  const names = [main, 'brier', 'calibration_intercept', 'calibration_slope'].filter(
    (name) => result === null || name in result.metrics,
  )
  const row = (
    title: string,
    cases: number | null,
    found: {
      readonly intervals?: Readonly<Record<string, Interval>> | undefined
      readonly reason?: string | null
    },
  ) => [
    title,
    cases === null ? 'few' : String(cases),
    ...names.map((name) => withInterval(found.intervals?.[name])),
    found.reason ?? '',
  ]
  return formatTable(
    ['', 'cases', ...names, ''],
    [
      ...(development ? [row(`development (${development.split})`, development.num_cases, development)] : []),
      ...(result ? [row('follow-up', result.num_cases, { intervals: result.intervals })] : []),
      ...windows.map((one) => {
        const reason = one.reason ?? (one.withheld ? `withheld: a count is below ${SMALL_CELL}` : null)
        return row(`window ${one.group}`, one.cases, { intervals: one.intervals, reason })
      }),
    ],
  )
}

function withInterval(interval: Interval | undefined): string {
  if (!interval || interval.estimate === null) return UNKNOWN
  const { estimate, low, high } = interval
  return low === null ? number(estimate) : `${number(estimate)} (${number(low)} to ${number(high)})`
}

/** The suggested update, which is not applied. */
function updateLines({ update }: FollowUpEvaluation): string[] {
  if (!update) return []
  if (update.reason !== null) return [`no update is suggested: ${update.reason}`, '']
  const loss = (metrics: Readonly<Record<string, number | null>>) =>
    'log_loss' in metrics ? `log loss ${number(metrics.log_loss)}` : `MAE ${number(metrics.mae)}`
  return [
    `suggested updates, not applied (measured on the same cases; now ${loss(update.original)}):`,
    ...update.updates.map(
      ({ name, intercept, slope, intercept_interval, slope_interval, metrics }) =>
        `  ${name.replaceAll('_', ' ')}: intercept ${intercept_interval ? withInterval(intercept_interval) : number(intercept)}, slope ${slope_interval ? withInterval(slope_interval) : number(slope)}, ${loss(metrics)}`,
    ),
    '',
  ]
}

function alarmLines(series: readonly FollowUpSeries[]): string[] {
  const rows = series.flatMap(({ name, kind, windows }) =>
    windows
      .filter(({ alarm }) => alarm)
      .map(({ window, value, p_holm }) => [
        ...[`window ${window}`, KINDS[kind], name ?? ''],
        ...[number(value), number(p_holm)],
      ]),
  )
  if (rows.length === 0) return ['no alarms']
  return [formatTable(['alarm', 'change', 'column', 'value', 'adjusted p'], rows)]
}
