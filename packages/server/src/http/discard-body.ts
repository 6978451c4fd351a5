import type { IncomingMessage } from 'node:http'
import { Timer } from '../concurrency/timer.js'
import { DISCARDED_BODY_SILENCE_MILLISECONDS } from '../durations.js'

/** A refused body is read up to this size; the connection of a client that sends more, or pauses too long, is closed. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads and discards the rest of a body. Most clients read the response only after they have sent everything; if the connection were closed
 * before, they would report a broken connection instead of the reason.
 * @returns true if the connection can stay open.
 */
export function discardBody(request: IncomingMessage): boolean {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return false
  let remaining = MAX_BYTES
  const silence = new Timer(() => request.destroy())
  silence.start(DISCARDED_BODY_SILENCE_MILLISECONDS)
  request.on('data', (chunk: Buffer) => {
    silence.refresh()
    remaining -= chunk.length
    if (remaining < 0) request.destroy()
  })
  request.on('close', () => silence.stop())
  request.resume()
  return true
}
