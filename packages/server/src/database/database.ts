import { Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseConnection } from './dialect.js'
import { migrate } from './migrate.js'
import type { Tables } from './schema.js'
import { sqliteDialect } from './sqlite/sqlite-dialect.js'
import { WrittenRows } from './written-rows.js'

/**
 * Open the database, durable before anything else: an answer is sent only after its change would survive a power failure.
 * @param onLost told when the connection is lost for good. Unless it is given, the process ends with the error: a service without its
 * database would go on showing old states as if they were true.
 * @throws Error when the durability settings do not hold.
 */
export async function openDatabase(
  file: string,
  { onLost = throwUncaught }: { readonly onLost?: (error: Error) => void } = {},
): Promise<Database> {
  const dialect = sqliteDialect(file)
  const database = new Database(await dialect.connect(onLost))
  try {
    await database.warmUp()
    await migrate(database, dialect.ddl)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return database
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

/** Queries and transactions by kysely. All share one connection: what is asked first is done first, and a transaction excludes the rest. */
export class Database extends Kysely<Tables> {
  /** Which rows are written of what lists show. */
  readonly written: WrittenRows
  readonly #connection: DatabaseConnection
  readonly #relaxed: Kysely<Tables>

  constructor(connection: DatabaseConnection) {
    const written = new WrittenRows(LISTED)
    super({ dialect: connection.durable, plugins: [written] })
    this.written = written
    this.#connection = connection
    this.#relaxed = new Kysely({ dialect: connection.relaxed, plugins: [written] })
  }

  /** The first use of each kysely takes longer than the others; from here on both keep the order in which they are asked. */
  async warmUp(): Promise<void> {
    for (const kysely of [this, this.#relaxed]) await kysely.connection().execute(async () => {})
  }

  /**
   * A transaction whose commit does not wait for the disk. It survives the end of the process, whatever ends it, and a power failure once
   * a later commit has waited: for what can be made again.
   */
  withoutWaiting<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#relaxed.transaction().execute(work)
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await sql`SELECT 1`.execute(this)
  }

  /** Close, after everything that was asked before. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#connection.close()
  }
}

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
