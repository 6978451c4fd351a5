import type { Phrase, Resource, Warning } from '@medloom/contracts'
import type { Lease } from '../cache/result-cache.js'
import type { Outputs } from '../values.js'
import { Cancellation } from './cancellation.js'

/** Result of a computation: its outputs, and their lease if they are in the cache. */
export interface Computed {
  readonly outputs: Outputs
  readonly lease: Lease | undefined
  /** The outputs were in the cache: nothing was executed. */
  readonly cached: boolean
}

/** Notifications of an active computation to all its subscribers. */
export interface ComputationListener {
  /** The work waits for this resource. */
  waits(resource: Resource): void
  /** The work itself has started, after any wait for its turn. */
  started(): void
  progress(fraction: number, message: string | null, phrases: readonly Phrase[] | undefined): void
  log(message: string): void
  warn(warning: Warning): void
  job(jobId: string): void
  /** Its outputs are complete. They are stored next, so a crash may still lose them. */
  computed(outputs: Outputs): void
  /** It failed; called before anything that waits for its resources can continue. */
  failed(thrown: unknown): void
}

/** Participation of one party in a computation, held until its result is not needed any more. */
export interface Subscription {
  readonly result: Promise<Computed>
  /** Reports whether the work itself, after any wait for its turn, has started. */
  begun(): boolean
  /**
   * When the last subscriber leaves, the computation is canceled if it is still active, and its lease is released. Returns true in that case.
   */
  leave(): boolean
}

type Work = (cancellation: Cancellation, everyone: ComputationListener) => Promise<Computed>

/** Active computations by key, shared by all runs of a service: a result that several runs need at once is computed once. */
export class SingleFlight {
  private readonly active = new Map<string, Computation>()

  /** Joins the computation of `key`, or starts it. With `alone`, a new computation is always started. */
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
  private outputs: Outputs | undefined
  private readonly cancellation = new Cancellation()
  private readonly listeners = new Set<ComputationListener>()

  constructor(work: Work, onEnded: () => void) {
    const each = (notify: (listener: ComputationListener) => void) => {
      for (const listener of [...this.listeners]) notify(listener)
    }
    // Started in the next microtask, so that the first subscriber has joined.
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
          progress: (...args) => each((listener) => listener.progress(...args)),
          log: (message) => each((listener) => listener.log(message)),
          warn: (warning) => each((listener) => listener.warn(warning)),
          job: (jobId) => {
            this.jobId = jobId
            each((listener) => listener.job(jobId))
          },
          computed: (outputs) => {
            this.outputs = outputs
            each((listener) => listener.computed(outputs))
          },
          failed: (thrown) => each((listener) => listener.failed(thrown)),
        }),
      )
      .finally(() => {
        this.ended = true
        onEnded()
      })
    // All subscribers may have left before it fails.
    this.result.catch(() => {})
  }

  /** Late subscribers receive the notifications that they missed. */
  join(listener: ComputationListener): void {
    this.listeners.add(listener)
    if (this.begun) listener.started()
    else if (this.waitsFor) listener.waits(this.waitsFor)
    if (this.jobId !== undefined) listener.job(this.jobId)
    if (this.outputs) listener.computed(this.outputs)
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

  /** An executor that throws on the request is abandoned when its time is over; the error must not prevent other cancellations. */
  private cancel(): void {
    try {
      this.cancellation.request()
    } catch {
      // Nobody needs its result any more.
    }
  }
}
