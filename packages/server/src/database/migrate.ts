import { type Kysely, sql } from 'kysely'
import type { Ddl } from './dialect.js'
import { MIGRATIONS } from './migrations/index.js'

/** Bring the tables up to date: each step that this database has not seen, in a transaction of its own. */
export async function migrate<Tables>(database: Kysely<Tables>, ddl: Ddl): Promise<void> {
  await sql
    .raw(
      `CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)${ddl.table}`,
    )
    .execute(database)
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(database)
  const applied = new Set(rows.map((row) => row.name))
  for (const { name, statements } of MIGRATIONS) {
    if (applied.has(name)) continue
    await database.transaction().execute(async (transaction) => {
      for (const statement of statements(ddl)) await sql.raw(statement).execute(transaction)
      await sql`INSERT INTO migrations VALUES (${name}, ${new Date().toISOString()})`.execute(transaction)
    })
  }
}
