import { type QueryExecutorProvider, sql } from 'kysely'

/** Description of a table for copying. */
export interface TableDescription {
  readonly name: string
  /** Stored columns, without those that the database derives. */
  readonly columns: readonly string[]
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[]
  /** The key column, if the database increments it. */
  readonly counted: string | null
}

/** The tables, each after those that its rows refer to. */
export async function describeTables(connection: QueryExecutorProvider): Promise<TableDescription[]> {
  const ordered: TableDescription[] = []
  for (let remaining = await readTables(connection); remaining.length > 0; ) {
    const ready = remaining.filter(({ refersTo }) =>
      refersTo.every((name) => ordered.some((table) => table.name === name)),
    )
    if (ready.length === 0)
      throw new Error(`tables refer to one another: ${remaining.map(({ table }) => table.name)}`)
    ordered.push(...ready.map(({ table }) => table))
    remaining = remaining.filter((table) => !ready.includes(table))
  }
  return ordered
}

interface ReadTable {
  readonly table: TableDescription
  readonly refersTo: readonly string[]
}

async function readTables(connection: QueryExecutorProvider): Promise<ReadTable[]> {
  const { rows } = await sql<{
    name: string
    columns: string
    key: string
    counted: string | null
    refers_to: string
  }>`
    SELECT c.relname::text AS name,
      (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')::text AS columns,
      (SELECT json_agg(a.attname ORDER BY array_position(i.indkey::int2[], a.attnum)) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary)::text AS key,
      (SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '') AS counted,
      coalesce((SELECT json_agg(DISTINCT r.relname) FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid), '[]')::text AS refers_to
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
    ORDER BY c.relname`.execute(connection)
  return rows.map(({ name, columns, key, counted, refers_to }) => ({
    table: { name, columns: JSON.parse(columns), key: JSON.parse(key), counted },
    refersTo: JSON.parse(refers_to) as string[],
  }))
}

/** The last number that a table has assigned, even to a removed row. */
export async function lastNumber(
  { name, counted }: TableDescription,
  connection: QueryExecutorProvider,
): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    SELECT pg_sequence_last_value(pg_get_serial_sequence(${name}, ${counted})::regclass) AS last`.execute(
    connection,
  )
  return rows[0]?.last ?? 0
}

/** Let the next row get the number after this one. */
export async function countFrom(
  { name, counted }: TableDescription,
  last: number,
  connection: QueryExecutorProvider,
): Promise<void> {
  if (last > 0)
    await sql`SELECT setval(pg_get_serial_sequence(${name}, ${counted})::regclass, ${last})`.execute(
      connection,
    )
}

/** Allow a long transaction, though others wait for it. */
export async function takeTime(connection: QueryExecutorProvider): Promise<void> {
  await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(connection)
}

/** Returns true if other processes of Medloom are connected to this database. */
export async function isInUse(connection: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'medloom-%' AND pid <> pg_backend_pid()`.execute(
    connection,
  )
  return rows.length > 0
}
