import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { Timer } from '../../concurrency/timer.js'
import { CASE_THREAD_IDLE_MILLISECONDS } from '../../durations.js'
import { browseFolders } from '../../storage/browse-folders.js'
import type { Found, PrepareRequest, Request } from './handle-request.js'

const BUILT = new URL('./cases.worker.js', import.meta.url)

type Reply = { readonly id: number } & (
  | { readonly found: unknown }
  | { readonly error: NodeJS.ErrnoException }
)

interface Waiting {
  resolve(found: unknown): void
  reject(error: Error): void
}

/**
 * Queries on cases, in a separate thread that keeps the tables of the last evaluations, so that the service stays responsive. When the
 * service runs from sources (development, unit tests), there is no compiled thread, and the query runs in this thread.
 */
export class CaseQueries {
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  readonly #idle = new Timer(() => this.#worker?.terminate())
  #next = 0

  readonly #folder: string

  constructor(
    /** Cache folder of the service. */
    cache: string,
    private readonly file: URL = BUILT,
  ) {
    this.#folder = browseFolders(cache).cases
  }

  /**
   * Start to create the tables of a document that was just written, so that the first query does not wait for them. Nobody waits for the
   * result; if it fails, the first query creates the tables.
   */
  prepare(request: PrepareRequest): void {
    void this.find(request).catch(() => null)
  }

  /** @returns null where the evaluation or comparison is missing or damaged. */
  async find<R extends Request>(request: R): Promise<Found<R> | null> {
    return (await this.#request(request)) as Found<R> | null
  }

  async close(): Promise<void> {
    this.#idle.stop()
    await this.#worker?.terminate()
  }

  async #request(request: Request): Promise<unknown> {
    if (!existsSync(this.file))
      return (await import('./handle-request.js')).handleRequest(request, this.#folder)
    this.#worker ??= this.#start()
    const worker = this.#worker
    this.#idle.stop()
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, request })
    })
  }

  #start(): Worker {
    // The compiled thread needs none of the flags of this process.
    const worker = new Worker(this.file, { execArgv: [], workerData: this.#folder })
    worker.on('message', (reply: Reply) => this.#settle(reply))
    worker.once('error', (error: Error) => this.#fail(worker, error))
    worker.once('exit', () => this.#fail(worker, new Error('the thread that searches cases has ended')))
    return worker
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(Object.assign(new Error(reply.error.message), reply.error))
    else waiting?.resolve(reply.found)
    if (this.#waiting.size > 0) return
    this.#worker?.unref()
    this.#idle.start(CASE_THREAD_IDLE_MILLISECONDS)
  }

  /** The next query starts another thread. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
