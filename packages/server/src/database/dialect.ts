import type { CompiledQuery, Dialect, QueryExecutorProvider } from 'kysely'

/**
 * Differences between the databases that can store the tables. The repositories write standard SQL with kysely, as far as every
 * implementation guarantees the following:
 *
 * - integers are returned as numbers, including counts and sums; conditions are returned as 0 or 1;
 * - `ON CONFLICT … DO UPDATE` and `RETURNING` are supported;
 * - `LIKE` ignores the case of the letters A to Z;
 * - columns of the type `ddl.text` compare by code points, in conditions and in order;
 * - a transaction excludes those of all other connections, including other processes: what it has read stays valid until it ends (see
 *   `isShared`);
 * - a statement that fails ends its transaction: later statements and the commit fail as well, and nothing is stored;
 * - commits wait for the disk, unless they are relaxed.
 */
export interface DatabaseDialect {
  readonly ddl: Ddl
  /** @throws Error when an acknowledged change would not survive a power failure. */
  connect(events: ConnectionEvents): Promise<DatabaseConnection>
}

export interface ConnectionEvents {
  /** Called when the connection ends unexpectedly; all pending requests have failed by then. */
  onLost(error: Error): void
  /** Called when a connection that is reestablished works again. */
  onRestored?(): void
}

/** Operations of a database server. */
export interface DatabaseServer {
  /**
   * The connection that receives notifications. Writes through it neither wait for nor exclude transactions of any process; their commits
   * do not wait for the disk.
   */
  readonly aside: Dialect
  /**
   * Acquire a lock that one connection holds at a time, until it unlocks it or ends for any reason. A lock acquired twice must be unlocked
   * twice.
   * @returns false when another connection holds it.
   */
  tryLock(name: string): Promise<boolean>
  unlock(name: string): Promise<void>
  /** The server's number of the session that holds the lock; null: it is free. */
  holder(name: string): Promise<number | null>
  /** End the session if it still holds the lock. @throws DatabaseError if it belongs to another user of the server. */
  endHolder(name: string, session: number): Promise<void>
  /** Subscribe to the notifications of all processes. `handler` gets null when notifications may have been missed: after each reconnect. */
  listen(channel: string, handler: (payload: string | null) => void): Promise<() => Promise<void>>
  /** Notify all subscribers: with the commit of the transaction, or once earlier requests are done. At most 7,900 bytes. */
  notify(channel: string, payload: string, transaction?: QueryExecutorProvider): Promise<void>
}

/**
 * Relation of a transaction to others. Those of one process always exclude each other; only `isShared` concerns other processes on the same
 * server.
 */
export interface TransactionKind {
  /** It survives the end of the process, and a power failure once a later commit has waited. */
  readonly isRelaxed?: boolean
  /** It lets others go first. */
  readonly isPatient?: boolean
  /**
   * It does not exclude transactions of other processes: no other process changes the same rows, or it compares a row before it changes it.
   */
  readonly isShared?: boolean
}

export interface DatabaseConnection {
  /** One connection, whatever the kind of transaction. */
  dialectFor(kind: TransactionKind): Dialect
  /**
   * A relaxed transaction of queries that are known in advance: they are sent together with its commit. If one fails, nothing is stored, and
   * its failure is thrown.
   */
  executeAtOnce(queries: readonly CompiledQuery[]): Promise<void>
  /** A second connection for reading only: it sees committed data and does not wait for the open transaction. */
  readonly reading: Dialect
  /** Operations between processes that share the database; null: only one process uses it. */
  readonly server: DatabaseServer | null
  /** Close after all earlier requests are executed. */
  close(): Promise<void>
}

/** Fragments of table definitions. */
export interface Ddl {
  /** Database functions that the definitions use, created before pending migrations. */
  readonly functions: readonly string[]
  /** A primary key that the database increments row by row. */
  readonly rowNumber: string
  /** 64 bits. */
  readonly integer: string
  /** Double precision. */
  readonly real: string
  /** Text that compares by code points. */
  readonly text: string
  /** Suffix of a table definition, and of one whose rows are stored in the order of their primary key. */
  readonly table: string
  readonly keyedTable: string
  /** Index expression for a text of any length. */
  longText(column: string): string
  /** Further columns of an index, including texts of any length: where they are supported, queries for only these columns read no rows. */
  alsoIndexed(columns: string): string
  /** A derived column with the text of a field of a JSON document in another column. */
  fromJson(column: string, field: string): string
  /** A derived column with a JSON object of these fields of the documents in other columns; null where one is absent. */
  fieldsOf(fields: Readonly<Record<string, readonly [column: string, field: string]>>): string
  /** A derived column with the texts of others, one per line: of columns, or of the first of these fields that a document has. */
  joinedText(
    parts: readonly (string | { readonly column: string; readonly fields: readonly string[] })[],
  ): string
  /** A derived column with the time between those in two other columns; null while one of them is null. */
  secondsBetween(from: string, to: string): string
  /** The text of the JSON object in a column, without these fields. */
  jsonWithout(column: string, fields: readonly string[]): string
}
