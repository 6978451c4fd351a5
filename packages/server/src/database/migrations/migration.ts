import type { QueryExecutorProvider } from 'kysely'
import type { Ddl } from '../dialect.js'

/** A named step. One that was released is never edited. */
export interface Migration {
  readonly name: string
  /** In their order. What SQL alone cannot do is a function on the transaction of the step. */
  statements(ddl: Ddl): readonly (string | Work)[]
}

export type Work = (transaction: QueryExecutorProvider) => Promise<void>
