export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Requests of the service to the connection thread, in the order of their execution. */
export type Request =
  | ({ readonly kind: 'statement'; readonly id: number } & Statement)
  /** A whole transaction; the response is its end or its first failure. */
  | {
      readonly kind: 'transaction'
      readonly id: number
      readonly durable: boolean
      readonly statements: readonly Statement[]
    }
  /** Replaces a statement that could not be sent: it fails like one that SQLite refuses. */
  | { readonly kind: 'unsent'; readonly id: number; readonly message: string }
  /** No response: when it fails, every statement of the transaction fails and so does its commit. */
  | { readonly kind: 'begin'; readonly durable: boolean }
  /** If nothing failed in the transaction; otherwise it is rolled back and the response is that failure. */
  | { readonly kind: 'commit'; readonly id: number }
  | { readonly kind: 'rollback'; readonly id: number }
  | { readonly kind: 'close' }

export interface Result {
  readonly rows: Record<string, unknown>[]
  /** Set for a statement that returns no rows. */
  readonly changes?: number
  readonly lastInsertRowid?: number
}

/** Errors pass between threads as message and code: copying an error object loses its code. */
export interface Failure {
  readonly message: string
  /** SQLITE_FULL, SQLITE_CONSTRAINT_UNIQUE …; absent for errors that do not come from SQLite. */
  readonly code?: string
}

export type Response =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: Failure }
