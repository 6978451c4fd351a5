import { type QueryExecutorProvider, sql } from 'kysely'

interface Named {
  readonly name: string
}

/** The last number that a table has assigned, even to a removed row. */
export async function lastNumber({ name }: Named, connection: QueryExecutorProvider): Promise<number> {
  const { rows } = await sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = ${name}`.execute(
    connection,
  )
  return rows[0]?.seq ?? 0
}

/** Let the next row get the number after this one. */
export async function countFrom(
  { name }: Named,
  last: number,
  connection: QueryExecutorProvider,
): Promise<void> {
  await sql`DELETE FROM sqlite_sequence WHERE name = ${name}`.execute(connection)
  if (last > 0)
    await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${name}, ${last})`.execute(connection)
}

/** SQLite has no time limit for transactions. */
export async function takeTime(): Promise<void> {}
