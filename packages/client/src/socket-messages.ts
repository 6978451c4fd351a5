import { SILENCE_MILLISECONDS } from './durations.js'
import type { Socket } from './transport.js'

/** Messages of one socket until it closes, fails, times out, or `signal` aborts; none of these is an error here. */
export async function* socketMessages<Message extends object>(
  open: () => Socket,
  signal?: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  const waiting: Message[] = []
  let closed = false
  let wake = () => {}
  let socket: Socket
  try {
    socket = open()
  } catch {
    return
  }
  const end = () => {
    closed = true
    wake()
  }
  let silence = setTimeout(end, SILENCE_MILLISECONDS)
  socket.onmessage = ({ data }: { data: unknown }) => {
    clearTimeout(silence)
    silence = setTimeout(end, SILENCE_MILLISECONDS)
    waiting.push(JSON.parse(String(data)) as Message)
    wake()
  }
  socket.onclose = end
  socket.onerror = end
  signal?.addEventListener('abort', end)
  try {
    for (;;) {
      for (let message = waiting.shift(); message; message = waiting.shift()) yield message
      if (closed || signal?.aborted) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    clearTimeout(silence)
    signal?.removeEventListener('abort', end)
    socket.onmessage = null
    // The handlers of close and error remain: closing before the connection is open is reported as an error.
    socket.close()
  }
}
