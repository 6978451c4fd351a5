import { Worker } from 'node:worker_threads'
import type { EventChunk } from '../../../ports/run-exchange.js'
import type { Lines, Read, Request, Response } from './protocol.js'

/** Identical file in the sources and in the build. */
const WORKER = new URL('./reading.worker.js', import.meta.url)

export const CHUNK_BYTES = 1024 * 1024
/** A longer line is not an event. Trainers write a long event into a separate file; those of earlier versions do not. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

interface Waiting {
  resolve(result: Lines | string | null): void
  reject(error: Error): void
}

/**
 * The service's side of the thread that reads the files of runs. Requests of one turn of the event loop are sent as one message. It starts
 * with the first request, and again after it was lost.
 */
export class ReadingThread {
  #worker: Worker | undefined
  readonly #waiting = new Map<number, Waiting>()
  #outbox: Request[] = []
  #lastId = 0

  /**
   * The complete lines after `offset`, about a mebibyte at most, or one longer line; null when there is none yet. A line without its line
   * break is not returned yet. A line of more than `longest` bytes cannot be an event: it is returned in pieces, to be skipped, so that the
   * tail makes progress.
   */
  async lines(
    path: string,
    offset: number,
    limit = CHUNK_BYTES,
    longest = MAX_LINE_BYTES,
  ): Promise<EventChunk | null> {
    const read = (await this.#request({ kind: 'lines', path, offset, limit, longest })) as Lines | null
    if (!read) return null
    const { end, text, more } = read
    return { start: offset, end, lines: text.split('\n'), ...(more ? { more } : {}) }
  }

  /** The content of a small file; '' when it cannot be read. */
  async text(path: string): Promise<string> {
    return (await this.#request({ kind: 'text', path })) as string
  }

  /** The first of these that, according to the system, does not exist; null: all exist. */
  async absent(paths: readonly string[]): Promise<string | null> {
    return (await this.#request({ kind: 'absent', paths })) as string | null
  }

  #request(request: Read): Promise<Lines | string | null> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      if (this.#outbox.push({ id, ...request }) === 1) setImmediate(() => this.#send())
    })
  }

  #send(): void {
    const requests = this.#outbox
    this.#outbox = []
    this.#worker ??= this.#start()
    // The process does not end while a request is pending.
    this.#worker.ref()
    this.#worker.postMessage(requests)
  }

  #start(): Worker {
    // The thread needs none of the flags of this process, such as those that run it from sources.
    const worker = new Worker(WORKER, { name: 'files of runs', execArgv: [] })
    worker.on('message', (responses: Response[]) => this.#receive(worker, responses))
    worker.once('error', (error) => this.#lost(worker, error))
    worker.once('exit', (code) => this.#lost(worker, new Error(`it exited with ${code}`)))
    return worker
  }

  #receive(worker: Worker, responses: readonly Response[]): void {
    for (const response of responses) {
      const waiting = this.#waiting.get(response.id)
      this.#waiting.delete(response.id)
      if ('result' in response) waiting?.resolve(response.result)
      else waiting?.reject(Object.assign(new Error(response.failure.message), response.failure))
    }
    if (this.#waiting.size === 0) worker.unref()
  }

  #lost(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#outbox = []
    const error = new Error('the thread that reads the files of runs has ended', { cause })
    for (const { reject } of waiting) reject(error)
  }
}

/** One thread for the whole process: it is a single waiting loop, however many trainings are followed. */
export const runFiles = new ReadingThread()
