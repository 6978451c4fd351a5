import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { DatabaseError } from '../database-error.js'
import { settleAll } from '../settle-all.js'
import type { TransactionGate } from '../transaction-gate.js'
import { errorOf } from './server-error.js'
import type { Session, SessionResult } from './session.js'

export interface SessionDriverOptions {
  /** The current session. @throws DatabaseError while there is none. */
  readonly session: () => Session
  /** Resolves once the first session is open; absent: it is already open. */
  readonly opened?: () => Promise<void>
  readonly gate: TransactionGate
  /** Returns the statement that begins a transaction. */
  readonly begin: () => string
  /** True if its transactions let others go first. */
  readonly patient: boolean
}

/** Passes kysely's queries to the session. Drivers share the session, so a driver neither opens nor closes it. */
export class SessionDriver implements Driver {
  constructor(private readonly options: SessionDriverOptions) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SessionConnection> {
    await this.options.opened?.()
    return new SessionConnection(this.options)
  }

  /** A transaction of queries that are known in advance: they are sent together with its commit. */
  async executeAtOnce(queries: readonly CompiledQuery[]): Promise<void> {
    const connection = await this.acquireConnection()
    await connection.begin()
    await settleAll([...queries.map((query) => connection.executeQuery(query)), connection.commit()])
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SessionConnection).begin()
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SessionConnection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SessionConnection).rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

interface OpenTransaction {
  /** The session on which the transaction began and must end. */
  readonly session: Session | undefined
  /** The first failure within the transaction. */
  failure?: DatabaseError
}

/** Use of the session for one query or one transaction. */
class SessionConnection implements DatabaseConnection {
  #transaction: OpenTransaction | undefined

  constructor(private readonly options: SessionDriverOptions) {}

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const transaction = this.#transaction
    if (transaction) return resultOf(await inTransaction(transaction, sql, parameters))
    const { session, gate, begin } = this.options
    const send = WRITES.test(query.kind)
      ? () => attemptAlone(session, begin(), sql, parameters)
      : () => attempt(session, sql, parameters)
    return resultOf(
      await new Promise<SessionResult>((resolve, reject) => {
        gate.pass(() => send().then(resolve, reject))
      }),
    )
  }

  begin(): Promise<void> {
    const { session, gate, begin, patient } = this.options
    return new Promise((resolve) => {
      gate.enter(() => {
        const transaction: OpenTransaction = openOn(session)
        this.#transaction = transaction
        // The response is not awaited: if this statement fails, the following ones fail too.
        transaction.session?.query(begin()).catch((error) => fail(transaction, error))
        resolve()
      }, patient)
    })
  }

  /** A transaction with a failed statement is rolled back, and that failure is thrown. */
  async commit(): Promise<void> {
    const transaction = this.#transaction
    if (!transaction) return
    if (transaction.failure) {
      const { message, kind, code } = transaction.failure
      await this.rollback()
      throw new DatabaseError(`the transaction was rolled back: ${message}`, kind, code)
    }
    const result = await this.#end('COMMIT')
    if (result?.command !== 'ROLLBACK') return
    const { message, kind, code } = transaction.failure ?? errorOf(new Error('a statement failed'))
    throw new DatabaseError(`the transaction was rolled back: ${message}`, kind, code)
  }

  /** A lost session has nothing left to roll back. */
  async rollback(): Promise<void> {
    await this.#end('ROLLBACK').catch((error: DatabaseError) => {
      if (error.kind !== 'lost') throw error
    })
  }

  /** Waiting requests may be sent as soon as the end is sent; the session preserves the order. */
  async #end(statement: string): Promise<SessionResult | undefined> {
    const transaction = this.#transaction
    if (!transaction) return undefined
    this.#transaction = undefined
    const ended = transaction.session?.query(statement)
    this.options.gate.leave()
    return ended
  }

  // biome-ignore lint/correctness/useYield: kysely requires a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in pages, not streamed')
  }
}

function openOn(session: () => Session): OpenTransaction {
  try {
    return { session: session() }
  } catch (error) {
    return { session: undefined, failure: errorOf(error) }
  }
}

/** Kinds of statements that exclude the transactions of other processes, as those exclude each other. */
const WRITES = /^(Insert|Update|Delete|Merge)QueryNode$/

/** A single statement as a transaction. Everything is sent at once, so it takes no longer than the statement itself. */
async function attemptAlone(
  session: () => Session,
  begin: string,
  sql: string,
  parameters: readonly unknown[],
): Promise<SessionResult> {
  const connection = session()
  // Statements after a failed one fail too; the first failure gives the reason.
  const parts = await Promise.allSettled([
    connection.query(begin),
    connection.query(sql, parameters),
    connection.query('COMMIT'),
  ])
  for (const part of parts) if (part.status === 'rejected') throw part.reason
  const [, done] = parts
  return (done as PromiseFulfilledResult<SessionResult>).value
}

/** A single statement; rejects if there is no session. */
export async function attempt(
  session: () => Session,
  sql: string,
  parameters: readonly unknown[],
): Promise<SessionResult> {
  return session().query(sql, parameters)
}

async function inTransaction(
  transaction: OpenTransaction,
  sql: string,
  parameters: readonly unknown[],
): Promise<SessionResult> {
  const { session, failure } = transaction
  if (failure || !session) {
    const { message, kind, code } = failure ?? errorOf(new Error('it was not begun'))
    throw new DatabaseError(`the transaction has failed: ${message}`, kind, code)
  }
  try {
    return await session.query(sql, parameters)
  } catch (error) {
    throw fail(transaction, error)
  }
}

function fail(transaction: OpenTransaction, error: unknown): DatabaseError {
  const failure = errorOf(error)
  transaction.failure ??= failure
  return failure
}

function resultOf<Row>({ rows, command, count }: SessionResult): QueryResult<Row> {
  const changes = /^(INSERT|UPDATE|DELETE)$/.test(command)
  return { rows: rows as Row[], ...(changes ? { numAffectedRows: BigInt(count) } : {}) }
}
