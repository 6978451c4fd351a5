import { type Dialect, Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseConnection, DatabaseServer, TransactionKind } from './dialect.js'
import { migrate } from './migrate.js'
import { PipelinedTransactionBuilder } from './pipelined-transaction.js'
import { postgresDialect } from './postgres/postgres-dialect.js'
import { untilServerAnswers } from './postgres/server-connection.js'
import type { Tables } from './schema.js'
import { sqliteDialect } from './sqlite/sqlite-dialect.js'
import { WrittenRows } from './written-rows.js'

/** Where the tables are: in a file that one process has, or on a PostgreSQL server that several share. */
export type DatabasePlace = { readonly file: string } | { readonly url: string }

export interface DatabaseOptions {
  /**
   * Told when the connection is lost. Unless it is given, the process ends with the error: a service without its database would go on
   * showing old states as if they were true.
   */
  readonly onLost?: (error: Error) => void
  /** Told when there is a connection again. */
  readonly onRestored?: () => void
  /** Whether a lost connection to a server is made anew: only for what keeps no state beside the database. Otherwise it stays lost. */
  readonly reconnect?: boolean
  /** Of this process, as the server shows it. */
  readonly role?: string
}

/**
 * Open the database, a file by its path or what `place` names, durable before anything else: an answer is sent only after its change would survive a power failure.
 * @throws Error when the durability settings do not hold; StartError when the server cannot be used.
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

/** Resolves when the server answers again and can be used; an aborted wait resolves as well. */
export function untilDatabaseAnswers({ url }: { readonly url: string }, signal: AbortSignal): Promise<void> {
  return untilServerAnswers({ url, name: 'medloom-waiting' }, signal)
}

/** Tables of what lists show, with the column that names the item. */
const LISTED = {
  jobs: 'job_id',
  workflow_runs: 'run_id',
  studies: 'study_id',
  study_trainings: 'study_id',
  models: 'model_id',
  datasets: 'dataset_id',
}

/** Inside or outside of a transaction. */
export type Connection = Kysely<Tables>

/**
 * Queries and transactions by kysely. All share one connection: what is asked first is done first, but for transactions in the
 * background, and a transaction excludes the rest. `reading` and `aside` have another one.
 */
export class Database extends Kysely<Tables> {
  /** Which rows are written of what lists show. */
  readonly written: WrittenRows
  readonly #connection: DatabaseConnection
  readonly #plain: Transactions
  readonly #relaxed: Transactions
  /** Those in the background. */
  readonly #patient: Transactions
  readonly #shared: Transactions
  readonly #sharedRelaxed: Transactions
  /** For statements alone whose commit does not wait for the disk, see `withoutWaiting`. */
  readonly relaxed: Kysely<Tables>
  /** For queries that wait for no transaction. They see what is committed, and each of them for itself. */
  readonly reading: Connection
  /** For what waits for no transaction of any process and excludes none, where processes share the database. */
  readonly aside: Connection

  constructor(connection: DatabaseConnection) {
    const written = new WrittenRows(LISTED)
    const dialect = connection.of({})
    super({ dialect, plugins: [written] })
    this.written = written
    this.#connection = connection
    // How a transaction begins is a matter of the dialect that its connection is of.
    const of = (kind: TransactionKind): Transactions => {
      const dialect = connection.of(kind)
      return { kysely: new Kysely<Tables>({ dialect, plugins: [written] }), dialect }
    }
    this.#plain = { kysely: this, dialect }
    this.#relaxed = of({ isRelaxed: true })
    this.#patient = of({ isPatient: true })
    this.#shared = of({ isPatient: true, isShared: true })
    this.#sharedRelaxed = of({ isPatient: true, isShared: true, isRelaxed: true })
    this.relaxed = this.#relaxed.kysely
    this.reading = new Kysely({ dialect: connection.reading })
    this.aside = connection.server ? new Kysely({ dialect: connection.server.aside }) : this
  }

  /** What processes that share the database can do with one another; null: only this one has it. */
  get server(): DatabaseServer | null {
    return this.#connection.server
  }

  override transaction(): PipelinedTransactionBuilder<Tables> {
    return transactionOf(this.#plain)
  }

  /** The first use of each kysely takes longer than the others; from here on all keep the order in which they are asked. */
  async warmUp(): Promise<void> {
    const all = [this.#plain, this.#relaxed, this.#patient, this.#shared, this.#sharedRelaxed]
    for (const { kysely } of all) await kysely.connection().execute(async () => {})
  }

  /**
   * A transaction whose commit does not wait for the disk. It survives the end of the process, whatever ends it, and a power failure once
   * a later commit has waited: for what can be made again.
   */
  withoutWaiting<Result>(work: Work<Result>): Promise<Result> {
    return transactionOf(this.#relaxed).execute(work)
  }

  /** A transaction that lets others go first: of what comes all the time, beside what people wait for. */
  inBackground<Result>(work: Work<Result>): Promise<Result> {
    return transactionOf(this.#patient).execute(work)
  }

  /**
   * The same, and it excludes no transaction of another process, nor waits for one: for what changes rows that no other process changes, or
   * changes a row only while it is as it was read.
   * @param isRelaxed its commit does not wait for the disk
   */
  inSharedBackground<Result>(work: Work<Result>, { isRelaxed = false } = {}): Promise<Result> {
    return transactionOf(isRelaxed ? this.#sharedRelaxed : this.#shared).execute(work)
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await sql`SELECT 1`.execute(this)
  }

  /** Resolves when the database can be written: it changes nothing, and does not wait for the disk. */
  async confirmWritable(): Promise<void> {
    const connection = this.server ? this.aside : this.relaxed
    await connection
      .updateTable('counters')
      .set(({ ref }) => ({ value: ref('value') }))
      .where('name', '=', 'evaluations')
      .execute()
  }

  /** Close, after everything that was asked before. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#connection.close()
  }
}

type Work<Result> = (transaction: Transaction<Tables>) => Promise<Result>

/** Of one kind. */
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
