import type { Dialect, QueryExecutorProvider } from 'kysely'

/**
 * What differs between the databases that can hold the tables. Queries are standard SQL, written by kysely in the repositories, as far
 * as every implementation gives this:
 *
 * - integers arrive as numbers, also counts and sums of them, and so do conditions: 0 or 1;
 * - `ON CONFLICT … DO UPDATE` and `RETURNING` are understood;
 * - `LIKE` does not tell A to Z from a to z;
 * - columns of the type `ddl.text` compare by code points, in conditions and in order;
 * - a transaction excludes those of every other connection, also of other processes: what it has read stands until it ends (see `isShared`);
 * - a statement that fails ends its transaction: those that follow fail and so does the commit, which leaves nothing behind;
 * - commits wait for the disk, unless they are relaxed.
 */
export interface DatabaseDialect {
  readonly ddl: Ddl
  /** @throws Error when an acknowledged change would not survive a power failure. */
  connect(events: ConnectionEvents): Promise<DatabaseConnection>
}

export interface ConnectionEvents {
  /** Told when the connection ends by itself; whatever waits for it has failed by then. */
  onLost(error: Error): void
  /** Told when there is one again, for a connection that is made anew. */
  onRestored?(): void
}

/** Of a database server. */
export interface DatabaseServer {
  /**
   * The connection on which notifications are heard. What is written through it waits for no transaction of any process, and excludes none;
   * its commits do not wait for the disk.
   */
  readonly aside: Dialect
  /**
   * Take a lock that one connection has at a time, until it unlocks it or ends, however that happens. Taken twice, it is unlocked twice.
   * @returns false when another connection has it.
   */
  tryLock(name: string): Promise<boolean>
  unlock(name: string): Promise<void>
  /** The session that has the lock, as the server numbers it; null: none has. */
  holder(name: string): Promise<number | null>
  /** End the session, if it still has the lock. @throws DatabaseError where it belongs to another user of the server. */
  endHolder(name: string, session: number): Promise<void>
  /** Be told what any process notifies. `handler` gets null when something may have been missed: after each connection anew. */
  listen(channel: string, handler: (payload: string | null) => void): Promise<() => Promise<void>>
  /** Tell all who listen: with the commit of the transaction, or once what was asked before is done. At most 7,900 bytes. */
  notify(channel: string, payload: string, transaction?: QueryExecutorProvider): Promise<void>
}

/** How a transaction stands to others. Those of one process always exclude each other; only `isShared` is about other processes on the same server. */
export interface TransactionKind {
  /** It survives the end of the process, and a power failure once a later commit has waited. */
  readonly isRelaxed?: boolean
  /** It lets others go first. */
  readonly isPatient?: boolean
  /** It does not exclude those of other processes: what it changes no other process changes, or it compares what it changes. */
  readonly isShared?: boolean
}

export interface DatabaseConnection {
  /** One connection, whatever the kind. */
  of(kind: TransactionKind): Dialect
  /** Of another connection, for reading alone: what is committed, without waiting for the transaction that is open. */
  readonly reading: Dialect
  /** What processes that share the database can do with one another; null: only one process has it. */
  readonly server: DatabaseServer | null
  /** After everything that was asked before. */
  close(): Promise<void>
}

/** Words of table definitions. */
export interface Ddl {
  /** What the words need, made before the steps that are due. */
  readonly functions: readonly string[]
  /** A number that the database counts up row by row, and the primary key. */
  readonly rowNumber: string
  /** 64 bits. */
  readonly integer: string
  /** Double precision. */
  readonly real: string
  /** It compares by code points. */
  readonly text: string
  /** What follows the columns of a table, and of one whose rows are kept in the order of its primary key. */
  readonly table: string
  readonly keyedTable: string
  /** A text of any length, as an index may hold it. */
  longText(column: string): string
  /** Further columns of an index, texts of any length among them: queries that ask for these alone read no rows where it has them. */
  alsoIndexed(columns: string): string
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
