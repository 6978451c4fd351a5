import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../database-error.js'
import type { Failure, Request, Response, Result, Statement } from './protocol.js'

/** Identical file in the sources and in the build. */
const WORKER = new URL('./connection.worker.js', import.meta.url)

const SETTLED = Promise.resolve()

interface Waiting {
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * The service's side of the thread that holds the connection: requests are executed in order. Requests of one turn of the microtask queue
 * are sent as one message.
 */
export class ConnectionThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<unknown>
  #outbox: Request[] = []
  #flushing = false
  #lastId = 0
  /** Reason why nothing more can be sent. */
  #ended: Error | undefined

  /** @param onLost called when the thread ends unexpectedly; pending requests have failed by then. */
  constructor(
    file: string,
    private readonly onLost: (error: Error) => void,
  ) {
    // The thread needs none of the flags of this process, such as those that run it from sources.
    this.#worker = new Worker(WORKER, { name: 'database', workerData: { file }, execArgv: [] })
    this.#exited = once(this.#worker, 'exit').catch(() => undefined)
    this.#worker.on('message', (responses: Response[]) => this.#receive(responses))
    this.#worker.once('error', (error) => this.#lost(error))
    this.#worker.once('exit', (code) => this.#lost(new Error(`it exited with ${code}`)))
    // The process may end while no request is pending.
    this.#worker.unref()
  }

  statement(sql: string, parameters: readonly unknown[]): Promise<Result> {
    return this.#request((id) => ({ kind: 'statement', id, sql, parameters }))
  }

  /** A transaction of these statements; if one fails, nothing is stored. */
  async transaction(statements: readonly Statement[], { durable }: { durable: boolean }): Promise<void> {
    await this.#request((id) => ({ kind: 'transaction', id, durable, statements }))
  }

  /** Sent together with the first statement. */
  begin(durable: boolean): void {
    this.#outbox.push({ kind: 'begin', durable })
  }

  async commit(): Promise<void> {
    await this.#request((id) => ({ kind: 'commit', id }))
  }

  async rollback(): Promise<void> {
    await this.#request((id) => ({ kind: 'rollback', id }))
  }

  /** Close after all earlier requests are executed. */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#ended = new Error('the database is closed')
      this.#worker.ref()
      this.#outbox.push({ kind: 'close' })
      this.#flush()
    }
    await this.#exited
  }

  #request(requestOf: (id: number) => Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended)
      const id = ++this.#lastId
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      this.#outbox.push(requestOf(id))
      if (this.#flushing) return
      this.#flushing = true
      // Cheaper than queueMicrotask, which creates an async resource.
      void SETTLED.then(() => this.#flush())
    })
  }

  #flush(): void {
    const requests = this.#outbox
    this.#flushing = false
    this.#outbox = []
    if (requests.length === 0) return
    try {
      this.#worker.postMessage(requests)
    } catch {
      // One request contains a value that cannot be copied; the others must not fail with it.
      for (const request of requests) this.#send(request)
    }
  }

  #send(request: Request): void {
    try {
      this.#worker.postMessage([request])
    } catch (error) {
      if (!('id' in request)) throw error
      this.#worker.postMessage([{ kind: 'unsent', id: request.id, message: String(error) }])
    }
  }

  #receive(responses: readonly Response[]): void {
    for (const response of responses) {
      const waiting = this.#settle(response.id)
      if ('result' in response) waiting?.resolve(response.result)
      else waiting?.reject(errorOf(response.failure))
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    // While the connection is closing, the process waits for its end.
    if (this.#waiting.size === 0 && !this.#ended) this.#worker.unref()
    return waiting
  }

  #lost(cause: Error): void {
    if (!this.#ended) {
      this.#ended = new Error('the thread of the database is gone', { cause })
      this.onLost(this.#ended)
    }
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}

function errorOf({ message, code }: Failure): DatabaseError {
  return new DatabaseError(message, kindOf(code), code)
}

function kindOf(code = ''): DatabaseError['kind'] {
  return code.startsWith('SQLITE_CONSTRAINT') ? 'constraint' : 'other'
}
