import { type ComparisonResult, type EvaluationResult, isOfTask } from '@medloom/contracts'
import type { EpochRecord, EvaluationRecord } from '../report-input.js'

type Task = EvaluationResult['task']

/** Removes the metrics of other tasks: a row that can never contain a number says nothing about this model. */
export function resultOfTask(result: EvaluationResult): EvaluationResult {
  const { task, metrics, notes, intervals, baselines, subgroups } = result
  return {
    ...result,
    metrics: kept(task, metrics),
    notes: kept(task, notes),
    intervals: kept(task, intervals),
    ...(baselines
      ? {
          baselines: baselines.map((one) => ({
            ...one,
            metrics: kept(task, one.metrics),
            differences: kept(task, one.differences),
          })),
        }
      : {}),
    subgroups: subgroups.map((group) => ({ ...group, metrics: kept(task, group.metrics) })),
  }
}

export function comparisonOfTask(comparison: ComparisonResult): ComparisonResult {
  const { task, models, pairs } = comparison
  return {
    ...comparison,
    models: models.map((model) => ({ ...model, metrics: kept(task, model.metrics) })),
    pairs: pairs.map((pair) => ({ ...pair, differences: kept(task, pair.differences) })),
  }
}

export function evaluationOfTask(evaluation: EvaluationRecord): EvaluationRecord {
  return { ...evaluation, result: resultOfTask(evaluation.result) }
}

export function historyOfTask(task: Task, history: readonly EpochRecord[]): EpochRecord[] {
  return history.map((epoch) => ({ ...epoch, metrics: kept(task, epoch.metrics) }))
}

function kept<Value>(task: Task, values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isOfTask(task, key)))
}
