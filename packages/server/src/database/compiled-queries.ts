import type { Compilable, CompiledQuery, QueryResult } from 'kysely'
import type { Connection, Database } from './database.js'

/** More than kinds of queries that come often. */
const MAX_KNOWN = 200
/** Longer ones come rarely, and hold much memory. */
const MAX_PARAMETERS = 500

/** Stands in a query for the value that has this place among its values. */
class Slot {
  constructor(readonly at: number) {}
}

/**
 * Queries that are asked a thousand times a second, each time with other values: kysely builds each kind of them once, since that takes as
 * long as all else that is done for one. Which rows they write is told to `Database.written` by whoever asks them.
 */
export class CompiledQueries {
  readonly #known = new Map<string, CompiledQuery>()

  constructor(private readonly database: Pick<Database, 'reading'>) {}

  /**
   * @param kind the same kind has the same text.
   * @param build the query with `slot(i)` in place of `values[i]`
   */
  execute<Row>(
    connection: Connection,
    kind: string,
    values: readonly unknown[],
    build: (tables: Connection, slot: (at: number) => never) => Compilable<Row>,
  ): Promise<QueryResult<Row>> {
    const query = (this.#known.get(kind) ?? this.#compile(build)) as CompiledQuery<Row>
    if (this.#known.size < MAX_KNOWN && query.parameters.length <= MAX_PARAMETERS)
      this.#known.set(kind, query)
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.at] : value))
    return connection.executeQuery<Row>({ ...query, parameters })
  }

  #compile<Row>(build: (tables: Connection, slot: (at: number) => never) => Compilable<Row>) {
    return build(this.database.reading, (at) => new Slot(at) as never).compile()
  }
}
