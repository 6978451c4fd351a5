import type { Dialect } from 'kysely'

/**
 * What differs between the databases that can hold the tables. Queries are standard SQL, written by kysely in the repositories, as far
 * as every implementation gives this:
 *
 * - integers arrive as numbers, also counts and sums of them;
 * - `ON CONFLICT … DO UPDATE` and `RETURNING` are understood;
 * - `LIKE` does not tell A to Z from a to z;
 * - columns of the type `ddl.sortedText` compare by code points, in conditions and in order;
 * - a statement that fails ends its transaction: those that follow fail and so does the commit, which leaves nothing behind;
 * - commits wait for the disk, unless they are made through `relaxed`.
 */
export interface DatabaseDialect {
  readonly ddl: Ddl
  /**
   * @param onLost told when the connection ends by itself; whatever waits for it has failed by then.
   * @throws Error when an acknowledged change would not survive a power failure.
   */
  connect(onLost: (error: Error) => void): Promise<DatabaseConnection>
}

export interface DatabaseConnection {
  readonly durable: Dialect
  /** The same connection. Its transactions survive the end of the process, and a power failure once a later commit has waited. */
  readonly relaxed: Dialect
  /** After everything that was asked before. */
  close(): Promise<void>
}

/** Words of table definitions. */
export interface Ddl {
  /** A number that the database counts up row by row, and the primary key. */
  readonly rowNumber: string
  /** 64 bits. */
  readonly integer: string
  /** Double precision. */
  readonly real: string
  /** Text that pages and ranges go by. */
  readonly sortedText: string
  /** What follows the columns of a table, and of one whose rows are kept in the order of its primary key. */
  readonly table: string
  readonly keyedTable: string
  /** Of a column that always holds the text of a field of a JSON document in another column. */
  fromJson(column: string, field: string): string
  /** Of a column that always holds a JSON object of these fields of the documents in other columns; null where one is absent. */
  fieldsOf(fields: Readonly<Record<string, readonly [column: string, field: string]>>): string
  /** Of a column that always holds the texts of others, a line each: of columns, or of the first of these fields that a document has. */
  joinedText(
    parts: readonly (string | { readonly column: string; readonly fields: readonly string[] })[],
  ): string
  /** Of a column that always holds the time between those in two others; null while one of them is. */
  secondsBetween(from: string, to: string): string
  /** The text of the JSON object in a column without these fields. */
  jsonWithout(column: string, fields: readonly string[]): string
}
