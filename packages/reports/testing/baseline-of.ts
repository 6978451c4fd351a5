import type { BaselineResult, EvaluationResult } from '@medloom/contracts'

/** A baseline to compare with the model of `result`. */
export const baselineOf = (
  result: EvaluationResult,
  name: BaselineResult['name'],
  title: string,
  verdict: BaselineResult['verdict']['verdict'],
  auc: number,
): BaselineResult => {
  const words = {
    better: 'better than',
    worse: 'worse than',
    inconclusive: 'not significantly different from',
    not_better: 'not better than',
    undecided: 'not compared with',
  } as const
  const found = { estimate: 0.003, low: -0.02, high: 0.03, p: 0.8, method: 'DeLong, paired', test: 'DeLong' }
  const text = `${words[verdict]} ${title}: AUROC difference 0.003 (−0.020 to 0.030)`
  return {
    name,
    title,
    settings: `${name} with C = 0.1`,
    threshold: 0.4,
    metrics: { ...result.metrics, auc },
    notes: {},
    intervals: {},
    differences: { auc: { ...found, reason: null } },
    verdict: { baseline: name, title, metric: 'auc', verdict, text },
    predictions: `predictions-${name}.csv`,
  }
}
