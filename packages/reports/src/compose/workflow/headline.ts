import type { WorkflowReportInput } from '../../report-input.js'

/** Names of these metrics in an evaluation of two classes. */
const SYNONYMS: Readonly<Record<string, string>> = { precision: 'ppv', recall: 'sensitivity' }

/** Adds the headline metrics to those of the evaluation, with the facts known under another name. */
export function withHeadline({
  evaluation,
  headline,
}: WorkflowReportInput): WorkflowReportInput['evaluation'] {
  const { metrics, intervals, notes, per_class } = evaluation
  const added = { metrics: { ...metrics }, intervals: { ...intervals }, notes: { ...notes } }
  for (const [key, value] of Object.entries(headline)) {
    if (key in metrics) continue
    added.metrics[key] = value
    const other = per_class === null ? (SYNONYMS[key] ?? key) : key
    if (intervals[other]) added.intervals[key] = intervals[other]
    if (value === null) added.notes[key] = notes[other] ?? 'not defined for every class'
  }
  return { ...evaluation, ...added }
}

/** Removes metrics that are also listed under another name. */
export function withoutSynonyms(
  evaluation: WorkflowReportInput['evaluation'],
): WorkflowReportInput['evaluation'] {
  const { metrics, per_class } = evaluation
  const isSynonym = (key: string) => per_class === null && (SYNONYMS[key] ?? '') in metrics
  return {
    ...evaluation,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isSynonym(key))),
  }
}
