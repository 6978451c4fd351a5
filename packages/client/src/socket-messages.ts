import type { Socket } from './transport.js'

/** A socket that is silent for this long is taken for dead: a cut cable sends no close. Opening a new one costs little. */
const SILENCE = 45_000

/** The messages of one socket until it closes, fails, falls silent, or `signal` aborts; none of these is an error here. */
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
  let silence = setTimeout(end, SILENCE)
  socket.onmessage = ({ data }: { data: unknown }) => {
    clearTimeout(silence)
    silence = setTimeout(end, SILENCE)
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
    // The handlers of close and error stay: closing before the connection stands is reported as an error.
    socket.close()
  }
}
