import {
  type EvaluationResult,
  foldInWords,
  headlineMetrics,
  type Job,
  thresholdChosen,
} from '@medloom/contracts'
import type { Fact, Notice, Section } from '../document/document.js'
import { formatMetric, metricName } from '../document/metric-names.js'
import { countOf, DASH, formatCount, formatDuration, formatNumber, formatTime } from '../document/numbers.js'
import { type ReportInput, subjectResult } from '../report-input.js'
import { baselineFact } from './baselines.js'
import { ensembleEvaluation } from './ensemble.js'
import { sentence } from './warnings.js'

/** Key facts at the top: model, time, amount of data and performance. */
export function overview(input: ReportInput): Fact[] {
  const { job, subject } = input
  const result = subjectResult(input)
  const seconds =
    job.started_at && job.ended_at ? (Date.parse(job.ended_at) - Date.parse(job.started_at)) / 1000 : null
  return [
    { term: 'Status', value: job.status, ...(job.reason ? { note: job.reason } : {}) },
    subject
      ? { term: 'Evaluated', value: formatTime(subject.evaluated_at) }
      : { term: 'Ended', value: formatTime(job.ended_at), note: `duration ${formatDuration(seconds)}` },
    {
      term: 'Model',
      value: input.model?.model_id ?? job.model_id ?? DASH,
      note: job.ensemble
        ? `mean of ${job.ensemble.members.length} trained models`
        : `${job.config.model.vision_backbone} + ${job.config.model.fusion_type}`,
    },
    {
      ...sizeOf(job, result),
    },
    ...headline(result),
  ]
}

function sizeOf(job: Job, result: EvaluationResult | null): Fact {
  if (result) {
    const patients = result.num_patients === null ? null : countOf(result.num_patients, 'patient')
    const value = formatCount(result.num_cases)
    return { term: `Cases, ${result.split} split`, value, ...(patients ? { note: patients } : {}) }
  }
  if (job.ensemble) return { term: 'Members', value: formatCount(job.ensemble.members.length) }
  return { term: 'Epochs', value: `${job.epoch} of ${job.total_epochs}` }
}

/** The most important metrics, with their intervals. */
function headline(result: EvaluationResult | null): Fact[] {
  if (!result) return []
  const simple = baselineFact(result)
  return [...metricFacts(result, headlineMetrics(result.task)), ...(simple ? [simple] : [])]
}

/** One fact per metric of the result; a metric without a value has its reason. */
export function metricFacts(result: EvaluationResult, keys: readonly string[]): Fact[] {
  return keys
    .filter((key) => key in result.metrics)
    .map((key) => {
      const interval = result.intervals[key]
      const bounds =
        interval && interval.low !== null && interval.high !== null
          ? `95% CI ${formatMetric(key, interval.low)} to ${formatMetric(key, interval.high)}`
          : (result.notes[key] ?? 'no interval')
      return { term: metricName(key).label, value: formatMetric(key, result.metrics[key]), note: bounds }
    })
}

/** Notices that must be read before the results. */
export function notices(input: ReportInput): Notice[] {
  const { job, subject, validation, heldOut } = input
  const found: Notice[] = []
  const add = (tone: Notice['tone'], title: string, text: string) =>
    found.push({ kind: 'notice', tone, title, text })
  if (job.status === 'failed')
    add(
      'danger',
      'This training failed.',
      `${job.error ? sentence(`${job.error.code}: ${job.error.message}`) : 'No error was recorded.'} It ended in epoch ${job.epoch} of ${job.total_epochs}. The report contains the results that were recorded until then.`,
    )
  if (job.status === 'stopped')
    add(
      'warning',
      'This training was stopped.',
      `It ended in epoch ${job.epoch} of ${job.total_epochs}; the model, if any, is that of the best epoch up to then.`,
    )
  found.push(...leakNotices(job, subjectResult(input)))
  const { fold } = job.config.data
  if (!subject && heldOut && fold)
    add(
      'note',
      `One fold of a cross-validation: ${foldInWords(fold)}.`,
      'These are results on the cases that this training held out: nothing was fitted or chosen on them. The performance on all cases follows from all folds together.',
    )
  if (!subject && validation && !heldOut)
    add(
      'note',
      'Validation results, not test results.',
      `${thresholdChosen(validation) ? 'The epoch and the threshold were' : 'The epoch was'} chosen on this split, so the results are optimistic. Evaluate the model on a test table once, at the end.`,
    )
  if (job.ensemble)
    add(
      job.ensemble.trained_on_every_fold ? 'warning' : 'note',
      job.ensemble.trained_on_every_fold
        ? 'The members of this ensemble were trained on all folds: only test data or external data can evaluate it.'
        : job.ensemble.fitted_on_validation?.cases
          ? 'Only cases that no member has seen can evaluate this ensemble.'
          : 'The members of this ensemble share no validation cases.',
      ensembleEvaluation(job.ensemble),
    )
  else if (!validation && !subject && job.status !== 'failed')
    add('warning', 'There are no validation results.', 'No checkpoint was validated in this run.')
  if (subject && subject.test_evaluations !== null && subject.test_evaluations > 1)
    add(
      'warning',
      `This model was evaluated ${subject.test_evaluations} times on this split.`,
      REPEATED_EVALUATION,
    )
  for (const text of input.unreadable) add('warning', 'A file of the run could not be read.', text)
  return found
}

/** Reason why a report states the number of evaluations on test data. */
export const REPEATED_EVALUATION =
  'If the model is changed after an evaluation on test data, the next result on the same data is too optimistic.'

/** A leak, or a setting that permits leaks: shown above all numbers. */
export function leakNotices(job: Job | null, result: EvaluationResult | null): Notice[] {
  const warnings = [...(job?.prepared?.warnings ?? []), ...(result?.warnings ?? [])]
  const leak = warnings.some(({ code }) => code === 'DATASET_LEAK')
  const danger = (title: string, text: string): Notice[] => [{ kind: 'notice', tone: 'danger', title, text }]
  if (job?.config.data.allow_leakage)
    return leak
      ? danger(
          'A leak between splits was found and accepted.',
          'A patient or an image is in more than one split (see Warnings). The performance in this report is too optimistic. Do not publish it.',
        )
      : danger(
          'Leaks between splits were allowed.',
          'data.allow_leakage is true, so a patient or an image in two splits would not have stopped the training. No leak was reported.',
        )
  return leak ? danger('A leak between splits was found.', 'See Warnings.') : []
}

/** All evaluations of this run, and the number of evaluations of the model per split. */
export function evaluationsSection({ evaluations, subject, validation }: ReportInput): Section | null {
  if (subject || (evaluations.length === 0 && !validation)) return null
  if (evaluations.length === 0)
    return {
      id: 'evaluations',
      title: 'Evaluations',
      blocks: [{ kind: 'paragraph', text: 'This model has not been evaluated on a test split.' }],
    }
  const keys = [
    ...new Set(
      evaluations.flatMap(({ result }) =>
        Object.keys(result.metrics).filter((key) => result.metrics[key] !== null),
      ),
    ),
  ].slice(0, 5)
  return {
    id: 'evaluations',
    title: 'Evaluations',
    blocks: [
      {
        kind: 'table',
        caption: 'Evaluations of this model, oldest first',
        columns: [
          { label: 'Evaluated' },
          { label: 'Split' },
          { label: 'Cases', numeric: true },
          { label: 'Evaluations of this split', numeric: true },
          ...keys.map((key) => ({ label: metricName(key).label, numeric: true })),
          { label: 'Report' },
        ],
        rows: evaluations.map(({ evaluation_id, evaluated_at, test_evaluations, result }) => [
          formatTime(evaluated_at),
          result.split,
          formatCount(result.num_cases),
          test_evaluations === null ? DASH : formatNumber(test_evaluations),
          ...keys.map((key) => formatMetric(key, result.metrics[key])),
          { text: 'open', href: `../evaluations/${encodeURIComponent(evaluation_id)}/report.html` },
        ]),
      },
    ],
  }
}
