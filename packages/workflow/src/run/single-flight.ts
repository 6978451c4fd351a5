import type { Resource, Warning } from '@medloom/contracts'
import type { Lease } from '../cache/result-cache.js'
import type { Outputs } from '../values.js'
import { Cancellation } from './cancellation.js'

/** What a computation leaves: its outputs, and the lease on them if they are in the cache. */
export interface Computed {
  readonly outputs: Outputs
  readonly lease: Lease | undefined
  /** The outputs were in the cache: nothing was executed. */
  readonly cached: boolean
}

/** What an active computation tells everyone who waits for it. */
export interface ComputationListener {
  /** Its work could begin, if this were free. */
  waits(resource: Resource): void
  /** The work itself has begun, not only the wait for its turn. */
  started(): void
  progress(fraction: number, message: string | null): void
  log(message: string): void
  warn(warning: Warning): void
  job(jobId: string): void
  /** It failed; told before anything that waits for its resources can go on. */
  failed(thrown: unknown): void
}

/** One party's part in a computation, held until its result is no longer needed. */
export interface Subscription {
  readonly result: Promise<Computed>
  /** Whether the work itself, not only the wait for its turn, has begun. */
  begun(): boolean
  /**
   * When the last subscriber leaves, the computation is cancelled if it is still active, and its lease is released. True in that case.
   */
  leave(): boolean
}

type Work = (cancellation: Cancellation, everyone: ComputationListener) => Promise<Computed>

/** Active computations by key, shared by all runs of a service: what several runs need at once is computed once. */
export class SingleFlight {
  private readonly active = new Map<string, Computation>()

  /** Join the computation of `key`, or begin it. With `alone` it is begun in any case. */
  join(key: string, listener: ComputationListener, work: Work, alone = false): Subscription {
    const computation = (alone ? undefined : this.active.get(key)) ?? this.begin(key, work)
    computation.join(listener)
    return {
      result: computation.result,
      begun: () => computation.begun,
      leave: () => {
        if (!computation.leave(listener)) return false
        this.forget(key, computation)
        return true
      },
    }
  }

  private begin(key: string, work: Work): Computation {
    const computation: Computation = new Computation(work, () => this.forget(key, computation))
    if (!this.active.has(key)) this.active.set(key, computation)
    return computation
  }

  private forget(key: string, computation: Computation): void {
    if (this.active.get(key) === computation) this.active.delete(key)
  }
}

class Computation {
  readonly result: Promise<Computed>
  begun = false
  private ended = false
  private jobId: string | undefined
  private waitsFor: Resource | undefined
  private readonly cancellation = new Cancellation()
  private readonly listeners = new Set<ComputationListener>()

  constructor(work: Work, onEnded: () => void) {
    const each = (tell: (listener: ComputationListener) => void) => {
      for (const listener of [...this.listeners]) tell(listener)
    }
    // Begun in the next microtask, so that whoever begins it has joined.
    this.result = Promise.resolve()
      .then(() =>
        work(this.cancellation, {
          waits: (resource) => {
            this.waitsFor = resource
            each((listener) => listener.waits(resource))
          },
          started: () => {
            this.begun = true
            each((listener) => listener.started())
          },
          progress: (fraction, message) => each((listener) => listener.progress(fraction, message)),
          log: (message) => each((listener) => listener.log(message)),
          warn: (warning) => each((listener) => listener.warn(warning)),
          job: (jobId) => {
            this.jobId = jobId
            each((listener) => listener.job(jobId))
          },
          failed: (thrown) => each((listener) => listener.failed(thrown)),
        }),
      )
      .finally(() => {
        this.ended = true
        onEnded()
      })
    // Everyone may have left before it fails.
    this.result.catch(() => {})
  }

  /** Those who join late are told what they missed. */
  join(listener: ComputationListener): void {
    this.listeners.add(listener)
    if (this.begun) listener.started()
    else if (this.waitsFor) listener.waits(this.waitsFor)
    if (this.jobId !== undefined) listener.job(this.jobId)
  }

  leave(listener: ComputationListener): boolean {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return false
    if (!this.ended) this.cancel()
    this.result.then(
      ({ lease }) => lease?.release(),
      () => {},
    )
    return true
  }

  /** An executor that cannot be told is left behind when its time is over; it must not keep others from being told. */
  private cancel(): void {
    try {
      this.cancellation.request()
    } catch {
      // Nobody needs its result any longer.
    }
  }
}
