import type { MetricSeries } from '@medloom/contracts'
import { BoundedMap } from '../../bounded-map.js'
import type { Bucket, CompleteBucket, OpenLevels } from './metric-levels.js'

/** Of the epochs of a job. */
export type EpochValues = Omit<MetricSeries['epochs'][number], 'step'>

/** The levels of a job with its messages in since < seq <= upTo, which are not stored in them yet. */
export interface SentPoints {
  readonly since: number
  readonly upTo: number
  readonly levels: OpenLevels
  readonly complete: readonly CompleteBucket[]
}

/** What was read of the curves of a job. It stays true: a complete bucket and the messages of an epoch never change. */
export interface ReadCurve {
  /** Complete buckets by level and place, as they were read for the whole curve. */
  readonly reads: ReadonlyMap<string, readonly Bucket[]>
  /** From the messages up to `epochs_seq`, by epoch. */
  readonly epochs: ReadonlyMap<number, EpochValues>
  readonly epochs_seq: number
  readonly sent: SentPoints | null
  /** Batches of an epoch; null until a message said so. */
  readonly batches: number | null
  readonly answer: GivenAnswer | null
}

/** What was answered last. */
export interface GivenAnswer {
  /** The request, and the messages of each job that it is made of. */
  readonly to: string
  readonly series: MetricSeries
}

const NOTHING: ReadCurve = {
  ...{ reads: new Map(), epochs: new Map(), epochs_seq: 0 },
  ...{ sent: null, batches: null, answer: null },
}
/** A curve takes a few megabytes at most. */
const MAX_CURVES = 8

/** The curves that were read last. Whoever looks at one asks again and again, and is then given what is new without reading the rest. */
export class RecentCurves {
  readonly #curves = new BoundedMap<string, ReadCurve>(MAX_CURVES)

  get(jobId: string): ReadCurve {
    return this.#curves.get(jobId) ?? NOTHING
  }

  keep(jobId: string, curve: Partial<ReadCurve>): void {
    this.#curves.set(jobId, { ...this.get(jobId), ...curve })
  }
}
