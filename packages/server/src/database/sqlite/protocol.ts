/** What the service sends to the thread that holds the connection, in the order in which it is to be executed. */
export type Request =
  | { readonly kind: 'statement'; readonly id: number; readonly sql: string; readonly parameters: unknown[] }
  /** In place of a statement that could not be sent: it fails as one that SQLite refuses does. */
  | { readonly kind: 'unsent'; readonly id: number; readonly message: string }
  /** No response: when it fails, every statement of the transaction fails and so does its commit. */
  | { readonly kind: 'begin'; readonly durable: boolean }
  /** Of a transaction in which nothing failed; otherwise it is rolled back and the response is that failure. */
  | { readonly kind: 'commit'; readonly id: number }
  | { readonly kind: 'rollback'; readonly id: number }
  | { readonly kind: 'close' }

export interface Result {
  readonly rows: Record<string, unknown>[]
  /** Of a statement that returns no rows. */
  readonly changes?: number
  readonly lastInsertRowid?: number
}

/** Errors pass between threads as what they say: copying one loses its code. */
export interface Failure {
  readonly message: string
  /** SQLITE_FULL, SQLITE_CONSTRAINT_UNIQUE …; absent for what SQLite did not refuse itself. */
  readonly code?: string
}

export type Response =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: Failure }
