import type { Ddl } from '../dialect.js'

/** A named step. One that was released is never edited. */
export interface Migration {
  readonly name: string
  statements(ddl: Ddl): readonly string[]
}
