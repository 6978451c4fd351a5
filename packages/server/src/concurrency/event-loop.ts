/** Milliseconds that long work may take before what waits meanwhile (requests, timers, sockets) has its turn. */
const SLICE = 8

let began = performance.now()
let turn: Promise<void> | undefined

/**
 * Asked often by long work. Gives nothing while its slice of time lasts, then a promise that resolves once the event loop has
 * turned. All such work shares one slice: however much of it there is, the service answers between one slice and the next.
 */
export function yieldIfDue(): Promise<void> | undefined {
  if (turn || performance.now() - began < SLICE) return turn
  turn = new Promise((resume) => {
    const resumed = () => {
      turn = undefined
      began = performance.now()
      resume()
    }
    // Asked in answer to I/O, the first comes before any other I/O is looked at.
    setImmediate(() => setImmediate(resumed))
  })
  return turn
}
