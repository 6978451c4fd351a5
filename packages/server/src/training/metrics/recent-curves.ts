import type { MetricSeries } from '@medloom/contracts'
import { BoundedMap } from '../../concurrency/bounded-map.js'
import type { Bucket, CompleteBucket, OpenLevels } from './metric-levels.js'

/** Values of an epoch of a job. */
export type EpochValues = Omit<MetricSeries['epochs'][number], 'step'>

/** The levels of a job with its messages in since < seq <= upTo, which are not yet stored in them. */
export interface SentPoints {
  readonly since: number
  readonly upTo: number
  readonly levels: OpenLevels
  readonly complete: readonly CompleteBucket[]
}

/** Data that was read from the curves of a job. It stays valid: a complete bucket and the messages of an epoch never change. */
export interface ReadCurve {
  /** Complete buckets by level and position, as read for the whole curve. */
  readonly reads: ReadonlyMap<string, readonly Bucket[]>
  /** From the messages up to `epochs_seq`, by epoch. */
  readonly epochs: ReadonlyMap<number, EpochValues>
  readonly epochs_seq: number
  readonly sent: SentPoints | null
  /** Batches of an epoch; null until a message contains it. */
  readonly batches: number | null
  readonly answer: GivenAnswer | null
}

/** The last response. */
export interface GivenAnswer {
  /** The request, and the messages of each job that are included. */
  readonly to: string
  readonly series: MetricSeries
}

const NOTHING: ReadCurve = {
  ...{ reads: new Map(), epochs: new Map(), epochs_seq: 0 },
  ...{ sent: null, batches: null, answer: null },
}
/** A curve needs a few megabytes at most. */
const MAX_CURVES = 8

/** The curves that were read last. A viewer requests the same curve repeatedly, and only new data is then read. */
export class RecentCurves {
  readonly #curves = new BoundedMap<string, ReadCurve>(MAX_CURVES)

  get(jobId: string): ReadCurve {
    return this.#curves.get(jobId) ?? NOTHING
  }

  keep(jobId: string, curve: Partial<ReadCurve>): void {
    this.#curves.set(jobId, { ...this.get(jobId), ...curve })
  }
}
