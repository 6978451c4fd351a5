import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'

/** Milliseconds for which long work may block requests, timers and sockets. */
const SLICE = 8

let began = performance.now()
let turn: Promise<void> | undefined

/**
 * Called often by long work. Returns nothing while its time slice lasts, then a promise that resolves after one turn of the event loop. All
 * long work shares one slice, so the service responds between two slices, however much work there is.
 */
export function yieldIfDue(): Promise<void> | undefined {
  if (turn || performance.now() - began < SLICE) return turn
  turn = new Promise((resume) => {
    const resumed = () => {
      turn = undefined
      began = performance.now()
      resume()
    }
    // When called from an I/O callback, the first one runs before any other I/O is polled.
    setImmediate(() => setImmediate(resumed))
  })
  return turn
}

/** Like yieldIfDue, until the caller's signal is aborted: nobody reads the error that then ends the work. */
export function yieldUntilAborted(signal?: AbortSignal): typeof yieldIfDue {
  return () => {
    if (signal?.aborted) throw new AppError('INVALID_REQUEST', phrase('caller_disconnected'))
    return yieldIfDue()
  }
}
