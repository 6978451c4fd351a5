import type { IncomingMessage } from 'node:http'

/** A refused body is read up to this size; the connection of a client that sends more, or pauses too long, is closed. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_SILENCE_MILLISECONDS = 2000

/**
 * Reads and discards the rest of a body. Most clients read the response only after they have sent everything; if the connection were closed
 * before, they would report a broken connection instead of the reason.
 * @returns true if the connection can stay open.
 */
export function discardBody(request: IncomingMessage): boolean {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return false
  let remaining = MAX_BYTES
  const silence = setTimeout(() => request.destroy(), MAX_SILENCE_MILLISECONDS)
  request.on('data', (chunk: Buffer) => {
    silence.refresh()
    remaining -= chunk.length
    if (remaining < 0) request.destroy()
  })
  request.on('close', () => clearTimeout(silence))
  request.resume()
  return true
}
