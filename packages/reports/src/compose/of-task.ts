import { type EvaluationResult, isOfTask } from '@medloom/contracts'
import type { EpochRecord, EvaluationRecord } from '../report-input.js'

type Task = EvaluationResult['task']

/** Without the metrics of another task: a row that can have no number says nothing about this model. */
export function resultOfTask(result: EvaluationResult): EvaluationResult {
  const { task, metrics, notes, intervals, subgroups } = result
  return {
    ...result,
    metrics: kept(task, metrics),
    notes: kept(task, notes),
    intervals: kept(task, intervals),
    subgroups: subgroups.map((group) => ({ ...group, metrics: kept(task, group.metrics) })),
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
