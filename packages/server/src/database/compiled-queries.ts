import type { Compilable, CompiledQuery, QueryResult } from 'kysely'
import type { Connection, Database } from './database.js'

/** Larger than the number of kinds of frequent queries. */
const MAX_KNOWN = 200
/** Queries with more parameters are rare and use much memory. */
const MAX_PARAMETERS = 500

/** Placeholder in a query for the value at index `at`. */
class Slot {
  constructor(readonly index: number) {}
}

/**
 * Queries that run a thousand times a second with different values. kysely builds each kind only once, because building takes as long as
 * all other work of a query. The caller reports the written rows to `Database.written`.
 */
export class CompiledQueries {
  readonly #known = new Map<string, CompiledQuery>()

  constructor(private readonly database: Pick<Database, 'reading'>) {}

  /**
   * @param kind queries of the same kind have the same text.
   * @param build the query with `slot(i)` in place of `values[i]`
   */
  execute<Row>(
    connection: Connection,
    kind: string,
    values: readonly unknown[],
    build: (tables: Connection, slot: (index: number) => never) => Compilable<Row>,
  ): Promise<QueryResult<Row>> {
    return connection.executeQuery<Row>(this.compiled(kind, values, build))
  }

  /** The query itself, to be executed later. */
  compiled<Row>(
    kind: string,
    values: readonly unknown[],
    build: (tables: Connection, slot: (index: number) => never) => Compilable<Row>,
  ): CompiledQuery<Row> {
    const query = (this.#known.get(kind) ?? this.#compile(build)) as CompiledQuery<Row>
    if (this.#known.size < MAX_KNOWN && query.parameters.length <= MAX_PARAMETERS)
      this.#known.set(kind, query)
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.index] : value))
    return { ...query, parameters }
  }

  #compile<Row>(build: (tables: Connection, slot: (index: number) => never) => Compilable<Row>) {
    return build(this.database.reading, (index) => new Slot(index) as never).compile()
  }
}
