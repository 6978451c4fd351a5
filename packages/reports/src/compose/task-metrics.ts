import { type ComparisonResult, type EvaluationResult, isOfTask } from '@medloom/contracts'
import type { EpochRecord, EvaluationRecord, ReportInput } from '../report-input.js'

type Task = EvaluationResult['task']

/** Content of a report with the metrics of its task only. */
export function inputOfTask(input: ReportInput): ReportInput {
  return {
    ...input,
    history: historyOfTask(input.job.prepared?.task ?? 'classification', input.history),
    validation: input.validation && resultOfTask(input.validation),
    heldOut: input.heldOut && resultOfTask(input.heldOut),
    subject: input.subject && evaluationOfTask(input.subject),
    evaluations: input.evaluations.map(evaluationOfTask),
  }
}

/** Removes the metrics of other tasks: a row that can never contain a number is not informative. */
export function resultOfTask(result: EvaluationResult): EvaluationResult {
  const { task, metrics, notes, intervals, baselines, subgroups } = result
  return {
    ...result,
    metrics: metricsOfTask(task, metrics),
    notes: metricsOfTask(task, notes),
    intervals: metricsOfTask(task, intervals),
    ...(baselines
      ? {
          baselines: baselines.map((one) => ({
            ...one,
            metrics: metricsOfTask(task, one.metrics),
            differences: metricsOfTask(task, one.differences),
          })),
        }
      : {}),
    subgroups: subgroups.map((group) => ({ ...group, metrics: metricsOfTask(task, group.metrics) })),
  }
}

export function comparisonOfTask(comparison: ComparisonResult): ComparisonResult {
  const { task, models, pairs } = comparison
  return {
    ...comparison,
    models: models.map((model) => ({ ...model, metrics: metricsOfTask(task, model.metrics) })),
    pairs: pairs.map((pair) => ({ ...pair, differences: metricsOfTask(task, pair.differences) })),
  }
}

export function evaluationOfTask(evaluation: EvaluationRecord): EvaluationRecord {
  return { ...evaluation, result: resultOfTask(evaluation.result) }
}

export function historyOfTask(task: Task, history: readonly EpochRecord[]): EpochRecord[] {
  return history.map((epoch) => ({ ...epoch, metrics: metricsOfTask(task, epoch.metrics) }))
}

function metricsOfTask<Value>(task: Task, values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isOfTask(task, key)))
}
