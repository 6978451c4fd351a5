import type { Metrics, StudyConfig, StudyMetric, StudyVariantResult } from '@medloom/contracts'
import { searchCells } from './search/trials.js'
import type { TrainingRecord } from './study-record.js'

/** Results of each variant while its trainings run: means over the complete trainings, without intervals. */
export function interimResults(
  study: Pick<StudyConfig, 'config' | 'variants' | 'search'>,
  trainings: readonly TrainingRecord[],
): StudyVariantResult[] {
  const named = study.variants.map(({ name, description = null }): StudyVariantResult => {
    const own = trainings.filter(({ variant }) => variant === name)
    const complete = own.filter(({ status, due }) => status === 'completed' && !due)
    const measured = complete.flatMap(({ metrics }) => (metrics ? [metrics] : []))
    const names = [...new Set(measured.flatMap((metrics) => Object.keys(metrics)))]
    return {
      name,
      kind: 'trained',
      description,
      num_trainings: own.length,
      num_completed: complete.length,
      num_cases: null,
      metrics: Object.fromEntries(names.map((metric) => [metric, meanOf(measured, metric)])),
    }
  })
  if (!study.search) return named
  const { name, description = null } = study.search
  const cells = searchCells(study, trainings)
  // Held-out results of a search are read only after all of its choices are made.
  return [
    ...named,
    {
      ...{ name, kind: 'trained', description, metrics: {}, num_cases: null },
      num_trainings: cells.length,
      num_completed: cells.filter(({ ended, best }) => ended && best).length,
    },
  ]
}

function meanOf(measured: readonly Metrics[], metric: string): StudyMetric {
  const values = measured.flatMap((metrics) => metrics[metric] ?? [])
  const none = { estimate: null, low: null, high: null }
  if (values.length === 0) return { mean: null, sd: null, ...none }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, sd: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)), ...none }
}
