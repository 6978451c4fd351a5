import type { EvaluationResult } from '../evaluation-result.js'

/** Whether every decision threshold of a result was chosen on the validation split; false if there is no threshold. */
export function thresholdChosen({
  task,
  threshold,
  threshold_reason: reason,
}: Pick<EvaluationResult, 'task' | 'threshold' | 'threshold_reason'>): boolean {
  return (task === 'multilabel' || threshold !== null) && !reason
}
