import type { MetricSeries } from '@medloom/contracts'
import type { Bucket } from './metric-levels.js'

/** Of the epochs of a job. */
export type EpochValues = Omit<MetricSeries['epochs'][number], 'step'>

/** What was read of the curves of a job. It stays true: a complete bucket and the messages of an epoch never change. */
export interface ReadCurve {
  /** Complete buckets by level and place, as they were read for the whole curve. */
  readonly reads: ReadonlyMap<string, readonly Bucket[]>
  /** From the messages up to `epochs_seq`, by epoch. */
  readonly epochs: ReadonlyMap<number, EpochValues>
  readonly epochs_seq: number
}

const NOTHING: ReadCurve = { reads: new Map(), epochs: new Map(), epochs_seq: 0 }
/** A curve takes a few megabytes at most. */
const MAX_CURVES = 8

/** The curves that were read last. Whoever looks at one asks again and again, and is then given what is new without reading the rest. */
export class RecentCurves {
  readonly #curves = new Map<string, ReadCurve>()

  get(jobId: string): ReadCurve {
    return this.#curves.get(jobId) ?? NOTHING
  }

  keep(jobId: string, curve: Partial<ReadCurve>): void {
    const kept = { ...this.get(jobId), ...curve }
    this.#curves.delete(jobId)
    this.#curves.set(jobId, kept)
    const [oldest] = this.#curves.keys()
    if (this.#curves.size > MAX_CURVES && oldest !== undefined) this.#curves.delete(oldest)
  }
}
