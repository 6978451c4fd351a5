import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { DatabaseError } from '../database-error.js'
import type { TransactionGate } from '../transaction-gate.js'
import { errorOf } from './server-error.js'
import type { Session, SessionResult } from './session.js'

export interface SessionDriverOptions {
  /** The one that stands. @throws DatabaseError while there is none. */
  readonly session: () => Session
  /** Resolves once there has been one; absent: there has. */
  readonly opened?: () => Promise<void>
  readonly gate: TransactionGate
  /** What begins a transaction. */
  readonly begin: () => string
  /** Whether its transactions let others go first. */
  readonly patient: boolean
}

/** Carries kysely's queries to the session. Opening and closing that is not its business: drivers share it. */
export class SessionDriver implements Driver {
  constructor(private readonly options: SessionDriverOptions) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SessionConnection> {
    await this.options.opened?.()
    return new SessionConnection(this.options)
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
  /** It ends with the session that it was begun on. */
  readonly session: Session | undefined
  /** The first failure of what belongs to it. */
  failure?: DatabaseError
}

/** The session for the time of one query or one transaction. */
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
        // Its response is not waited for: when it fails, so does what follows.
        transaction.session?.query(begin()).catch((error) => fail(transaction, error))
        resolve()
      }, patient)
    })
  }

  /** A transaction in which something failed is rolled back, and the failure is said. */
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

  /** Of a session that is lost nothing is left to be rolled back. */
  async rollback(): Promise<void> {
    await this.#end('ROLLBACK').catch((error: DatabaseError) => {
      if (error.kind !== 'lost') throw error
    })
  }

  /** Who waits may send as soon as the end is sent; the session keeps the order. */
  async #end(statement: string): Promise<SessionResult | undefined> {
    const transaction = this.#transaction
    if (!transaction) return undefined
    this.#transaction = undefined
    const ended = transaction.session?.query(statement)
    this.options.gate.leave()
    return ended
  }

  // biome-ignore lint/correctness/useYield: kysely asks for a generator
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

/** Kinds of statements that exclude the transactions of other processes, as these do one another. */
const WRITES = /^(Insert|Update|Delete|Merge)QueryNode$/

/** One statement as a transaction. All of it is sent at once, so it takes no longer than the statement alone. */
async function attemptAlone(
  session: () => Session,
  begin: string,
  sql: string,
  parameters: readonly unknown[],
): Promise<SessionResult> {
  const of = session()
  // What follows one that failed fails, too; the first says why.
  const parts = await Promise.allSettled([of.query(begin), of.query(sql, parameters), of.query('COMMIT')])
  for (const part of parts) if (part.status === 'rejected') throw part.reason
  const [, done] = parts
  return (done as PromiseFulfilledResult<SessionResult>).value
}

/** One statement, also when there is no session to ask. */
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
