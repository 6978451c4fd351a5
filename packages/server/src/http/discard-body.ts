import type { IncomingMessage } from 'node:http'

/** A body that is refused is read to its end up to here; who sends more is cut off, and so is who sends nothing for a while. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_SILENCE_MILLISECONDS = 2000

/**
 * Read on what nobody will use. Most clients read the answer only when they have sent everything, and a connection that is closed
 * before then is an error to them: they would never see why they were refused.
 * @returns whether the connection can stay open.
 */
export function discardBody(request: IncomingMessage): boolean {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return false
  let left = MAX_BYTES
  const silence = setTimeout(() => request.destroy(), MAX_SILENCE_MILLISECONDS)
  request.on('data', (chunk: Buffer) => {
    silence.refresh()
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.on('close', () => clearTimeout(silence))
  request.resume()
  return true
}
