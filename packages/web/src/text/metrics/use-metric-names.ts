import { useCallback } from 'react'
import { useText } from '../use-text'
import { metrics } from '.'

/** Batch values that describe the training loop rather than its cases; they have the same name in every chart. */
const OF_LOOP: Readonly<Record<string, 'of.learningRate' | 'of.speed'>> = {
  learning_rate: 'of.learningRate',
  samples_per_second: 'of.speed',
}

/**
 * Returns the name of a metric, or its key if it has no name. `val_auc` is the AUROC on validation; "batch" distinguishes a series of
 * batches from one of epochs.
 */
export function useMetricNames(): (key: string, of?: 'batch') => string {
  const t = useText(metrics)
  return useCallback(
    (key, batch) => {
      const ofLoop = OF_LOOP[key]
      if (ofLoop) return t(ofLoop)
      const [part, metric] = splitMetric(key)
      const name = isKnown(metric) ? t(metric) : metric.replaceAll('_', ' ')
      if (part) return t(`of.${part}`, { name })
      return batch ? t('of.batch', { name }) : name
    },
    [t],
  )
}

/** Splits `val_auc` into the part of the data and the metric. */
export function splitMetric(key: string): [part: 'val' | 'train' | undefined, metric: string] {
  const [, part, metric = key] = /^(val|train)_(.+)$/.exec(key) ?? []
  return [part as 'val' | 'train' | undefined, metric]
}

type Name = Exclude<keyof typeof metrics.en, `of.${string}`>
function isKnown(name: string): name is Name {
  return name in metrics.en && !name.startsWith('of.')
}
