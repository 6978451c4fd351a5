import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { TransactionGate } from '../transaction-gate.js'
import type { ConnectionThread } from './connection-thread.js'
import type { Result } from './protocol.js'

export interface ThreadDriverOptions {
  readonly thread: ConnectionThread
  readonly gate: TransactionGate
  /** True if a commit waits for the disk. */
  readonly durable: boolean
  /** True if its transactions let others go first. */
  readonly patient: boolean
}

/** Passes kysely's queries to the connection thread. Drivers share the thread, so a driver neither opens nor closes it. */
export class ThreadDriver implements Driver {
  constructor(private readonly options: ThreadDriverOptions) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.options)
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as ThreadConnection).begin()
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as ThreadConnection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as ThreadConnection).rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** Use of the connection for one query or one transaction. */
class ThreadConnection implements DatabaseConnection {
  #inTransaction = false

  constructor(private readonly options: ThreadDriverOptions) {}

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { thread, gate, durable } = this.options
    const send = () => thread.statement(sql, parameters as unknown[])
    if (this.#inTransaction) return resultOf(await send())
    const alone = durable || query.kind === 'SelectQueryNode' ? send : () => withoutWaiting(thread, send)
    return resultOf(
      await new Promise<Result>((resolve, reject) => {
        gate.pass(() => alone().then(resolve, reject))
      }),
    )
  }

  begin(): Promise<void> {
    const { thread, gate, durable, patient } = this.options
    return new Promise((resolve) => {
      gate.enter(() => {
        this.#inTransaction = true
        thread.begin(durable)
        resolve()
      }, patient)
    })
  }

  commit(): Promise<void> {
    return this.#end(() => this.options.thread.commit())
  }

  /** A failed commit has already rolled back, so nothing remains to be done. */
  rollback(): Promise<void> {
    return this.#end(() => this.options.thread.rollback())
  }

  /** Waiting requests may be sent as soon as the end is sent; the thread preserves the order. */
  async #end(send: () => Promise<void>): Promise<void> {
    if (!this.#inTransaction) return
    this.#inTransaction = false
    const ended = send()
    this.options.gate.leave()
    await ended
  }

  // biome-ignore lint/correctness/useYield: kysely requires a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in pages, not streamed')
  }
}

/** A single statement as a transaction whose commit does not wait for the disk. Everything is sent at once. */
async function withoutWaiting(thread: ConnectionThread, send: () => Promise<Result>): Promise<Result> {
  thread.begin(false)
  const [result] = await Promise.all([send(), thread.commit()])
  return result
}

function resultOf<Row>({ rows, changes, lastInsertRowid }: Result): QueryResult<Row> {
  return {
    rows: rows as Row[],
    ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    ...(lastInsertRowid === undefined ? {} : { insertId: BigInt(lastInsertRowid) }),
  }
}
