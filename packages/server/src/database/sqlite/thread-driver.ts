import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { TransactionGate } from '../transaction-gate.js'
import type { ConnectionThread } from './connection-thread.js'
import type { Result } from './protocol.js'

export interface ThreadDriverOptions {
  readonly thread: ConnectionThread
  readonly gate: TransactionGate
  /** Whether a commit waits for the disk. */
  readonly durable: boolean
  /** Whether its transactions let others go first. */
  readonly patient: boolean
}

/** Carries kysely's queries to the thread of the connection. Opening and closing that is not its business: drivers share it. */
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

/** The connection for the time of one query or one transaction. */
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

  /** A commit that failed has rolled back: nothing is left to be done then. */
  rollback(): Promise<void> {
    return this.#end(() => this.options.thread.rollback())
  }

  /** Who waits may send as soon as the end is sent; the thread keeps the order. */
  async #end(send: () => Promise<void>): Promise<void> {
    if (!this.#inTransaction) return
    this.#inTransaction = false
    const ended = send()
    this.options.gate.leave()
    await ended
  }

  // biome-ignore lint/correctness/useYield: kysely asks for a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in pages, not streamed')
  }
}

/** One statement as a transaction whose commit does not wait for the disk. All of it is sent at once. */
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
