import { AppError } from '../errors.js'

/** Milliseconds that long work may block requests, timers and sockets. */
const SLICE = 8

let began = performance.now()
let turn: Promise<void> | undefined

/**
 * Called often by long work. Returns nothing while its time slice lasts, then a promise that resolves after one turn of the event
 * loop. All such work shares one slice, so the service responds between two slices however much work there is.
 */
export function yieldIfDue(): Promise<void> | undefined {
  if (turn || performance.now() - began < SLICE) return turn
  turn = new Promise((resume) => {
    const resumed = () => {
      turn = undefined
      began = performance.now()
      resume()
    }
    // Called from an I/O callback, the first runs before any other I/O is polled.
    setImmediate(() => setImmediate(resumed))
  })
  return turn
}

/** As yieldIfDue, until the signal of the caller: nobody reads the error that ends the work then. */
export function yieldUntilLeft(signal?: AbortSignal): typeof yieldIfDue {
  return () => {
    if (signal?.aborted) throw new AppError('INVALID_REQUEST', 'the caller did not wait for the response')
    return yieldIfDue()
  }
}
