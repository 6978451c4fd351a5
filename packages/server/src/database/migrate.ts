import { type Kysely, sql } from 'kysely'
import { StartError } from '../errors.js'
import type { Ddl } from './dialect.js'
import { MIGRATIONS } from './migrations/index.js'

/**
 * Bring the tables up to date: each step that this database has not seen, in a transaction of its own.
 * @throws StartError when a newer version of Medloom has been here: this one does not know what its tables mean.
 */
export async function migrate<Tables>(database: Kysely<Tables>, ddl: Ddl): Promise<void> {
  await sql
    .raw(
      `CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)${ddl.table}`,
    )
    .execute(database)
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(database)
  const applied = new Set(rows.map((row) => row.name))
  const unknown = rows.find((row) => !MIGRATIONS.some(({ name }) => name === row.name))
  if (unknown)
    throw new StartError(
      `the database was changed by a newer version of Medloom (step ${unknown.name}), which this one would damage`,
      'Start that version or a later one, or choose another folder with --data-dir. Nothing was changed.',
    )
  for (const { name, statements } of MIGRATIONS) {
    if (applied.has(name)) continue
    await database.transaction().execute(async (transaction) => {
      for (const statement of statements(ddl))
        await (typeof statement === 'string'
          ? sql.raw(statement).execute(transaction)
          : statement(transaction))
      await sql`INSERT INTO migrations VALUES (${name}, ${new Date().toISOString()})`.execute(transaction)
    })
  }
}
