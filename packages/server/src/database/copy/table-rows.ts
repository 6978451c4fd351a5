import { createHash } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { TableDescription } from '../postgres/table-descriptions.js'

export type Row = Record<string, string | number | null>

/** Characters that are read and then written at a time: a document can have millions. */
const PAGE_CHARACTERS = 4_000_000
const MAX_ROWS = 500

/** The rows of a table in the order of its key, page by page. */
export async function* pagesOf(
  { name, columns, key }: TableDescription,
  connection: QueryExecutorProvider,
): AsyncGenerator<readonly Row[], void, void> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  let last: Row | undefined
  for (let size = 10; ; ) {
    const after = last && sql`WHERE (${keyColumns}) > (${sql.join(key.map((column) => last?.[column]))})`
    const { rows } = await sql<Row>`
      SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(name)}
      ${after ?? sql``} ORDER BY ${keyColumns} LIMIT ${sql.lit(size)}`.execute(connection)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
    const characters = rows.reduce((sum, row) => sum + charactersOf(row), 0)
    size = Math.max(1, Math.min(MAX_ROWS, Math.floor((rows.length * PAGE_CHARACTERS) / (characters + 1))))
  }
}

export async function insertRows(
  { name, columns }: TableDescription,
  rows: readonly Row[],
  connection: QueryExecutorProvider,
): Promise<void> {
  const lines = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`)
  await sql`INSERT INTO ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    VALUES ${sql.join(lines)}`.execute(connection)
}

/** The number of rows, and the SHA-256 of their contents in the order of the key. */
export async function digestOf(
  table: TableDescription,
  connection: QueryExecutorProvider,
): Promise<{ readonly rows: number; readonly digest: string }> {
  const digest = createHash('sha256')
  let count = 0
  for await (const rows of pagesOf(table, connection)) {
    count += rows.length
    for (const row of rows)
      digest.update(`${JSON.stringify(table.columns.map((column) => storable(row[column] ?? null)))}\n`)
  }
  return { rows: count, digest: digest.digest('hex') }
}

/** Text in PostgreSQL cannot contain the character U+0000: it is stored as U+FFFD. */
function storable(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
}

function charactersOf(row: Row): number {
  return Object.values(row).reduce<number>((sum, value) => sum + String(value ?? '').length, 0)
}
