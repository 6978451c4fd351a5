import type { WebSocket } from 'ws'
import { repeatEvery } from '../concurrency/repeat-every.js'

/** Pings every connection; a connection that has not answered by the next ping is dropped. */
export class Heartbeat {
  readonly #silent = new Map<WebSocket, boolean>()
  readonly stop: () => void

  constructor(seconds: number) {
    this.stop = repeatEvery(seconds * 1000, () => this.#beat())
  }

  add(socket: WebSocket): void {
    this.#silent.set(socket, false)
    socket.on('pong', () => this.#silent.set(socket, false))
    socket.on('close', () => this.#silent.delete(socket))
  }

  async #beat(): Promise<void> {
    let count = 0
    for (const [socket, silent] of [...this.#silent]) {
      if (silent) socket.terminate()
      else if (socket.readyState === socket.OPEN) {
        this.#silent.set(socket, true)
        socket.ping()
      }
      if (++count % 200 === 0) await new Promise(setImmediate)
    }
  }
}
