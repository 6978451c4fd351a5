import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { StartError } from '../errors.js'
import type { Ddl } from './dialect.js'
import { MIGRATIONS } from './migrations/index.js'
import type { Migration } from './migrations/migration.js'

/**
 * Bring the tables up to date: each step that this database has not yet applied, in a separate transaction.
 * @throws StartError when a newer version of Medloom has used the database: this version does not know the meaning of its tables.
 */
export async function migrate<Tables>(database: Kysely<Tables>, ddl: Ddl): Promise<void> {
  // Each transaction excludes those of other processes, which may be starting as well.
  await database.transaction().execute(async (transaction) => {
    await sql
      .raw(
        `CREATE TABLE IF NOT EXISTS migrations (name ${ddl.text} PRIMARY KEY, applied_at ${ddl.text} NOT NULL)${ddl.table}`,
      )
      .execute(transaction)
    const applied = await appliedSteps(transaction)
    const unknown = applied.find((step) => !MIGRATIONS.some(({ name }) => name === step))
    if (unknown)
      throw new StartError(
        `a newer version of Medloom has upgraded the database (step ${unknown}), and this version would damage it`,
        'Start that version or a later one, or choose another folder with --data-dir. The database was not changed.',
      )
    if (MIGRATIONS.every(({ name }) => applied.includes(name))) return
    for (const statement of ddl.functions) await sql.raw(statement).execute(transaction)
  })
  for (const step of MIGRATIONS)
    await database.transaction().execute((transaction) => applyOnce(step, transaction, ddl))
}

async function applyOnce(
  { name, statements }: Migration,
  transaction: QueryExecutorProvider,
  ddl: Ddl,
): Promise<void> {
  if ((await appliedSteps(transaction)).includes(name)) return
  for (const statement of statements(ddl))
    await (typeof statement === 'string' ? sql.raw(statement).execute(transaction) : statement(transaction))
  await sql`INSERT INTO migrations VALUES (${name}, ${new Date().toISOString()})`.execute(transaction)
}

async function appliedSteps(transaction: QueryExecutorProvider): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(transaction)
  return rows.map((row) => row.name)
}
