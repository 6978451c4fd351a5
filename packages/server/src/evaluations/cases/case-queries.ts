import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { CaseRequest } from './answer.js'
import type { FoundCases } from './find-cases.js'

const BUILT = new URL('./cases.worker.js', import.meta.url)
/** A thread that waits so long for another query before it ends and gives back its memory. */
const IDLE_MILLISECONDS = 60_000

type Reply = { readonly id: number } & ({ readonly found: FoundCases | null } | { readonly error: string })

interface Waiting {
  resolve(found: FoundCases | null): void
  reject(error: Error): void
}

/**
 * Queries on cases, in a thread of their own that keeps the tables of the last evaluations, so that the service responds meanwhile. Run
 * from sources (development, unit tests) there is no compiled thread to start, and the query runs in this one.
 */
export class CaseQueries {
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | undefined
  #next = 0

  constructor(private readonly file: URL = BUILT) {}

  /** @returns null where the evaluation is missing or damaged. */
  async find(request: CaseRequest): Promise<FoundCases | null> {
    if (!existsSync(this.file)) return (await import('./answer.js')).answer(request)
    this.#worker ??= this.#start()
    const worker = this.#worker
    clearTimeout(this.#idle)
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, request })
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    // The compiled thread needs none of the flags of this process.
    const worker = new Worker(this.file, { execArgv: [] })
    worker.on('message', (reply: Reply) => this.#settle(reply))
    worker.once('error', (error: Error) => this.#fail(worker, error))
    worker.once('exit', () => this.#fail(worker, new Error('the thread that finds cases has ended')))
    return worker
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.found)
    if (this.#waiting.size > 0) return
    this.#worker?.unref()
    this.#idle = setTimeout(() => void this.#worker?.terminate(), IDLE_MILLISECONDS).unref()
  }

  /** The next query starts another thread. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
