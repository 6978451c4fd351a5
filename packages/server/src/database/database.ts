import { type Driver, Kysely, type SqliteDatabase, SqliteDialect, sql, type Transaction } from 'kysely'
import Libsql from 'libsql'
import { MIGRATIONS, type Tables } from './schema.js'

export type Database = Kysely<Tables>

/**
 * Open the database, durable before anything else: an answer is sent only after its change would survive a power cut.
 * The only file that knows which SQLite is used. One connection writes; kysely serialises its queries.
 * @throws Error when the durability settings do not hold.
 */
export async function openDatabase(file: string): Promise<Database> {
  const connection = new Libsql(file)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 5000')
  const database = new Kysely<Tables>({
    dialect: new Dialect(connection),
  })
  const { rows } = await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(database)
  if (rows[0]?.synchronous !== 2) throw new Error(`synchronous is ${rows[0]?.synchronous}, expected 2 (FULL)`)
  await migrate(database)
  return database
}

/** A full disk ends a transaction by itself: no rollback that finds none may hide the error that says so. */
class Dialect extends SqliteDialect {
  constructor(private readonly connection: Libsql.Database) {
    super({ database: connection as unknown as SqliteDatabase })
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const rollback = driver.rollbackTransaction.bind(driver)
    driver.rollbackTransaction = async (connection) => {
      if (this.connection.inTransaction) await rollback(connection)
    }
    return driver
  }
}

async function migrate(database: Database): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT`.execute(
    database,
  )
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(database)
  const applied = new Set(rows.map((row) => row.name))
  for (const { name, sql: statements } of MIGRATIONS) {
    if (applied.has(name)) continue
    await database.transaction().execute(async (transaction) => {
      for (const statement of statements) await sql.raw(statement).execute(transaction)
      await sql`INSERT INTO migrations VALUES (${name}, ${new Date().toISOString()})`.execute(transaction)
    })
  }
}

/**
 * A transaction whose commit does not wait for the disk. It survives the end of the process, whatever ends it, and a power cut once a
 * later commit has waited: for what can be made again.
 */
export function withoutWaiting(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  return database.connection().execute(async (connection) => {
    await sql`PRAGMA synchronous = NORMAL`.execute(connection)
    try {
      await connection.transaction().execute(work)
    } finally {
      await sql`PRAGMA synchronous = FULL`.execute(connection)
    }
  })
}
