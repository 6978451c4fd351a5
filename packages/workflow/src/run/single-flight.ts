import type { Warning } from '@medloom/contracts'
import type { Lease } from '../cache/result-cache.js'
import type { Outputs } from '../values.js'
import { Cancellation } from './cancellation.js'

/** What a computation leaves: its outputs, and the lease on them if the cache took them. */
export interface Computed {
  readonly outputs: Outputs
  readonly lease: Lease | undefined
}

/** What a computation under way tells everyone who waits for it. */
export interface FlightListener {
  started(): void
  progress(fraction: number, message: string | null): void
  log(message: string): void
  warn(warning: Warning): void
  job(jobId: string): void
  /** It failed; told before anything that waits for its resources can go on. */
  failed(thrown: unknown): void
}

/** A place in a computation. Whoever boards leaves again: by calling it off, or when its result is needed no longer. */
export interface Seat {
  readonly result: Promise<Computed>
  /** Whether the work itself, not only the wait for its turn, has begun. */
  begun(): boolean
  /** When the last one leaves, the computation is cancelled if it still goes on, and its lease is released. True in that case. */
  leave(): boolean
}

type Work = (cancellation: Cancellation, everyone: FlightListener) => Promise<Computed>

/** Single flight: computations under way, by key, shared by all runs of a service. */
export class Flights {
  private readonly underWay = new Map<string, Flight>()

  /** Join the computation of `key`, or begin it. With `alone` it is begun in any case. */
  board(key: string, listener: FlightListener, work: Work, alone = false): Seat {
    const flight = (alone ? undefined : this.underWay.get(key)) ?? this.begin(key, work)
    flight.join(listener)
    return {
      result: flight.result,
      begun: () => flight.begun,
      leave: () => {
        if (!flight.leave(listener)) return false
        this.forget(key, flight)
        return true
      },
    }
  }

  private begin(key: string, work: Work): Flight {
    const flight: Flight = new Flight(work, () => this.forget(key, flight))
    if (!this.underWay.has(key)) this.underWay.set(key, flight)
    return flight
  }

  private forget(key: string, flight: Flight): void {
    if (this.underWay.get(key) === flight) this.underWay.delete(key)
  }
}

class Flight {
  readonly result: Promise<Computed>
  begun = false
  private landed = false
  private jobId: string | undefined
  private readonly cancellation = new Cancellation()
  private readonly listeners = new Set<FlightListener>()

  constructor(work: Work, landed: () => void) {
    const each = (tell: (listener: FlightListener) => void) => {
      for (const listener of [...this.listeners]) tell(listener)
    }
    // Begun in the next microtask, so that whoever begins it has boarded.
    this.result = Promise.resolve()
      .then(() =>
        work(this.cancellation, {
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
        this.landed = true
        landed()
      })
    // Everyone may have left before it fails.
    this.result.catch(() => {})
  }

  /** Those who join late are told what they missed. */
  join(listener: FlightListener): void {
    this.listeners.add(listener)
    if (this.begun) listener.started()
    if (this.jobId !== undefined) listener.job(this.jobId)
  }

  leave(listener: FlightListener): boolean {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return false
    if (!this.landed) this.callOff()
    this.result.then(
      ({ lease }) => lease?.release(),
      () => {},
    )
    return true
  }
  /** An executor that cannot be told is left behind when its time is over; it must not keep others from being told. */
  private callOff(): void {
    try {
      this.cancellation.request()
    } catch {
      // Its result, if there ever is one, is of no use to anybody.
    }
  }
}
