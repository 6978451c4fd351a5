import { phrase } from '@medloom/contracts'
import { FairQueue } from '@medloom/workflow'
import { AppError } from '../errors.js'

export interface ConcurrencyLimits {
  /** Maximum number of requests that are processed in parallel. */
  readonly most: number
  /** Maximum per caller. */
  readonly mostOfEach: number
  /** Maximum number of further requests of one caller that wait. */
  readonly mostWaiting: number
}

interface Caller {
  /** Number of its requests that are processed, or may be as soon as there is room. */
  admitted: number
  /** The other requests, oldest first. */
  readonly waiting: Set<() => void>
}

/**
 * Limits the requests that are processed in parallel. Callers take turns: one with hundreds of requests delays another only by its few that
 * are being processed.
 */
export class ConcurrencyLimiter {
  #free: number
  readonly #callers = new Map<string, Caller>()
  readonly #next = new FairQueue<() => void>()

  constructor(private readonly limits: ConcurrencyLimits) {
    this.#free = limits.most
  }

  /**
   * @returns a function that releases the slot, once this caller has one.
   * @throws AppError TOO_MANY_REQUESTS when too many requests of the caller wait, or when it has disconnected meanwhile.
   */
  async acquire(name: string, signal: AbortSignal): Promise<() => void> {
    const caller = this.#callers.get(name) ?? { admitted: 0, waiting: new Set() }
    if (caller.waiting.size >= this.limits.mostWaiting) throw tooMany()
    this.#callers.set(name, caller)
    await new Promise<void>((begin, refuse) => {
      let leave = () => {}
      const onAbort = () => {
        leave()
        refuse(tooMany())
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const start = () => {
        signal.removeEventListener('abort', onAbort)
        begin()
      }
      const queue = () => {
        const forget = this.#next.add(name, start)
        leave = () => {
          forget()
          this.#leave(name, caller)
        }
      }
      caller.waiting.add(queue)
      leave = () => caller.waiting.delete(queue)
      this.#admit(caller)
    })
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#free++
      this.#leave(name, caller)
    }
  }

  /** Number of callers; a caller without requests is removed. */
  get callers(): number {
    return this.#callers.size
  }

  #leave(name: string, caller: Caller): void {
    caller.admitted--
    this.#admit(caller)
    if (caller.admitted === 0 && caller.waiting.size === 0) this.#callers.delete(name)
  }

  #admit(caller: Caller): void {
    const [oldest] = caller.waiting
    if (oldest && caller.admitted < this.limits.mostOfEach) {
      caller.waiting.delete(oldest)
      caller.admitted++
      oldest()
    }
    while (this.#free > 0) {
      const start = this.#next.take()
      if (!start) return
      this.#free--
      start()
    }
  }
}

function tooMany(): AppError {
  return new AppError('TOO_MANY_REQUESTS', phrase('caller_waits_too_much'))
}
