import type { JobMessage, MetricSeries, Metrics } from '@medloom/contracts'
import type { z } from 'zod'
import type { TrainingRepository } from '../training.repository.js'
import { pages } from './replay.js'

/** The curves of a job: one point per epoch, and its batches averaged into at most `buckets` points. */
export async function metricSeries(
  repository: TrainingRepository,
  job: { job_id: string; last_seq: number },
  buckets: number,
): Promise<z.infer<typeof MetricSeries>> {
  const epochs = new Map<number, { epoch: number; seconds: number; metrics: Metrics }>()
  const range = { since: 0, upTo: job.last_seq }
  for await (const page of pages(repository, job.job_id, { ...range, only: 'kept' }))
    for (const { message } of page) {
      const { type, epoch, metrics, ...rest } = JSON.parse(message) as JobMessage
      if (type !== 'validation' && type !== 'epoch_end') continue
      const before = epochs.get(epoch)
      const seconds = 'duration_seconds' in rest ? rest.duration_seconds : (before?.seconds ?? 0)
      epochs.set(epoch, { epoch, seconds, metrics: { ...before?.metrics, ...ownMetrics(metrics) } })
    }
  // Progress is spread evenly over the sequence, so a bucket is a piece of it; nothing but the buckets stays in memory.
  const size = Math.max(1, Math.ceil(job.last_seq / buckets))
  const filled = new Map<number, Bucket>()
  for await (const page of pages(repository, job.job_id, { ...range, only: 'progress' }))
    for (const { seq, message } of page) {
      const index = Math.floor((seq - 1) / size)
      const bucket = filled.get(index) ?? new Bucket()
      filled.set(index, bucket)
      bucket.add(JSON.parse(message))
    }
  const points = [...filled.values()]
  return {
    job_id: job.job_id,
    epochs: [...epochs.values()].sort((a, b) => a.epoch - b.epoch),
    batches: {
      step: points.map((point) => point.step),
      loss: points.map((point) => point.mean('loss')),
      loss_min: points.map((point) => point.lossMin),
      loss_max: points.map((point) => point.lossMax),
      learning_rate: points.map((point) => point.mean('learning_rate')),
      samples_per_second: points.map((point) => point.mean('samples_per_second')),
    },
  }
}

/** Without `loss` and `accuracy`, which repeat another value and mean different ones in different messages. */
function ownMetrics({ loss: _loss, accuracy: _accuracy, ...metrics }: Metrics): Metrics {
  return metrics
}

class Bucket {
  step = 0
  lossMin: number | null = null
  lossMax: number | null = null
  readonly #sums = new Map<string, { sum: number; count: number }>()

  add(progress: { epoch: number; batch: number; total_batches: number; metrics: Metrics }): void {
    this.step = (progress.epoch - 1) * progress.total_batches + progress.batch
    for (const [name, value] of Object.entries(progress.metrics)) {
      if (value === null) continue
      const { sum, count } = this.#sums.get(name) ?? { sum: 0, count: 0 }
      this.#sums.set(name, { sum: sum + value, count: count + 1 })
      if (name !== 'loss') continue
      this.lossMin = Math.min(this.lossMin ?? value, value)
      this.lossMax = Math.max(this.lossMax ?? value, value)
    }
  }

  mean(name: string): number | null {
    const total = this.#sums.get(name)
    return total ? total.sum / total.count : null
  }
}
