import type { QueryExecutorProvider } from 'kysely'
import type { Ddl } from '../dialect.js'

/** A named step. A released step is never edited. */
export interface Migration {
  readonly name: string
  /** Statements in the order of their execution. A function on the step's transaction does the work that SQL alone cannot do. */
  statements(ddl: Ddl): readonly (string | Work)[]
}

export type Work = (transaction: QueryExecutorProvider) => Promise<void>
