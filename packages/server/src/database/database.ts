import { type CompiledQuery, type Dialect, Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseConnection, DatabaseServer, TransactionKind } from './dialect.js'
import { migrate } from './migrate.js'
import { PipelinedTransactionBuilder } from './pipelined-transaction.js'
import { postgresDialect } from './postgres/postgres-dialect.js'
import { untilServerAnswers } from './postgres/server-connection.js'
import type { Tables } from './schema.js'
import { sqliteDialect } from './sqlite/sqlite-dialect.js'
import { WrittenRows } from './written-rows.js'

/** Location of the tables: a file that one process uses, or a PostgreSQL server that several processes share. */
export type DatabasePlace = { readonly file: string } | { readonly url: string }

export interface DatabaseOptions {
  /**
   * Called when the connection is lost. If it is not given, the process ends with the error: a service without its database would continue
   * to show old states as current.
   */
  readonly onLost?: (error: Error) => void
  /** Called when the connection is restored. */
  readonly onRestored?: () => void
  /**
   * True if a lost connection to a server is reestablished: only for processes that keep no state outside the database. Otherwise it stays
   * lost.
   */
  readonly reconnect?: boolean
  /** Role of this process, as the server shows it. */
  readonly role?: string
}

/**
 * Open the database, given as a file path or as `place`, and check that it is durable before anything else: a response is sent only after
 * its change would survive a power failure.
 * @throws Error when the durability settings are not in effect; StartError when the server cannot be used.
 */
export async function openDatabase(
  place: string | DatabasePlace,
  options: DatabaseOptions = {},
): Promise<Database> {
  const { onLost = throwUncaught, onRestored, reconnect = false, role = 'all' } = options
  const { file, url = '' } = (typeof place === 'string' ? { file: place } : place) as {
    file?: string
    url?: string
  }
  const dialect = file === undefined ? postgresDialect({ url, role, reconnect }) : sqliteDialect(file)
  const database = new Database(await dialect.connect({ onLost, ...(onRestored ? { onRestored } : {}) }))
  try {
    await database.warmUp()
    await migrate(database, dialect.ddl)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return database
}

/** Resolves when the server answers again and can be used; an aborted wait also resolves. */
export function untilDatabaseAnswers({ url }: { readonly url: string }, signal: AbortSignal): Promise<void> {
  return untilServerAnswers({ url, name: 'medloom-waiting' }, signal)
}

/** Tables that lists show, each with the column that identifies the item. */
const LISTED = {
  jobs: 'job_id',
  workflow_runs: 'run_id',
  studies: 'study_id',
  study_trainings: 'study_id',
  models: 'model_id',
  datasets: 'dataset_id',
}

/** A connection inside or outside a transaction. */
export type Connection = Kysely<Tables>

/**
 * Queries and transactions by kysely. All share one connection and are executed in the order of their requests, except background
 * transactions; a transaction excludes all others. `reading` and `aside` use another connection.
 */
export class Database extends Kysely<Tables> {
  /** Reports which rows of the tables in LISTED are written. */
  readonly written: WrittenRows
  readonly #connection: DatabaseConnection
  readonly #plain: Transactions
  readonly #relaxed: Transactions
  /** Background transactions. */
  readonly #patient: Transactions
  readonly #shared: Transactions
  readonly #sharedRelaxed: Transactions
  /** For single statements whose commit does not wait for the disk, see `withoutWaiting`. */
  readonly relaxed: Kysely<Tables>
  /** For queries that wait for no transaction. Each query sees the data that is committed when it runs. */
  readonly reading: Connection
  /** For statements that neither wait for nor exclude transactions of any process, where processes share the database. */
  readonly aside: Connection

  constructor(connection: DatabaseConnection) {
    const written = new WrittenRows(LISTED)
    const dialect = connection.dialectFor({})
    super({ dialect, plugins: [written] })
    this.written = written
    this.#connection = connection
    // The dialect of a connection determines how its transactions begin.
    const transactionsOf = (kind: TransactionKind): Transactions => {
      const dialect = connection.dialectFor(kind)
      return { kysely: new Kysely<Tables>({ dialect, plugins: [written] }), dialect }
    }
    this.#plain = { kysely: this, dialect }
    this.#relaxed = transactionsOf({ isRelaxed: true })
    this.#patient = transactionsOf({ isPatient: true })
    this.#shared = transactionsOf({ isPatient: true, isShared: true })
    this.#sharedRelaxed = transactionsOf({ isPatient: true, isShared: true, isRelaxed: true })
    this.relaxed = this.#relaxed.kysely
    this.reading = new Kysely({ dialect: connection.reading })
    this.aside = connection.server ? new Kysely({ dialect: connection.server.aside }) : this
  }

  /** Operations between processes that share the database; null: only this process uses it. */
  get server(): DatabaseServer | null {
    return this.#connection.server
  }

  override transaction(): PipelinedTransactionBuilder<Tables> {
    return transactionOf(this.#plain)
  }

  /** The first use of each kysely instance takes longer than later ones; after it, all execute in the order of their requests. */
  async warmUp(): Promise<void> {
    const all = [this.#plain, this.#relaxed, this.#patient, this.#shared, this.#sharedRelaxed]
    for (const { kysely } of all) await kysely.connection().execute(async () => {})
  }

  /**
   * A transaction whose commit does not wait for the disk. It survives any end of the process, and a power failure once a later commit has
   * waited: for data that can be recomputed.
   */
  withoutWaiting<Result>(work: Work<Result>): Promise<Result> {
    return transactionOf(this.#relaxed).execute(work)
  }

  /**
   * As `withoutWaiting`, for queries that are known in advance: they and the commit are sent to the database together. The caller reports the
   * written rows to `written`.
   */
  atOnceWithoutWaiting(queries: readonly CompiledQuery[]): Promise<void> {
    return this.#connection.executeAtOnce(queries)
  }

  /** A transaction that lets others go first: for frequent writes that no person waits for. */
  inBackground<Result>(work: Work<Result>): Promise<Result> {
    return transactionOf(this.#patient).execute(work)
  }

  /**
   * Like `inBackground`, but it neither excludes nor waits for transactions of other processes: for rows that no other process changes, or
   * that are changed only if they are still as they were read.
   * @param isRelaxed its commit does not wait for the disk
   */
  inSharedBackground<Result>(work: Work<Result>, { isRelaxed = false } = {}): Promise<Result> {
    return transactionOf(isRelaxed ? this.#sharedRelaxed : this.#shared).execute(work)
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await sql`SELECT 1`.execute(this)
  }

  /** Resolves when the database can be written: it changes nothing and does not wait for the disk. */
  async confirmWritable(): Promise<void> {
    const connection = this.server ? this.aside : this.relaxed
    await connection
      .updateTable('counters')
      .set(({ ref }) => ({ value: ref('value') }))
      .where('name', '=', 'evaluations')
      .execute()
  }

  /** Close after all earlier requests are executed. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#connection.close()
  }
}

type Work<Result> = (transaction: Transaction<Tables>) => Promise<Result>

/** Transactions of one kind. */
interface Transactions {
  readonly kysely: Kysely<Tables>
  readonly dialect: Dialect
}

function transactionOf({ kysely, dialect }: Transactions): PipelinedTransactionBuilder<Tables> {
  const executor = kysely.getExecutor()
  return new PipelinedTransactionBuilder({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor,
  })
}

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
