import type { Insertable, Kysely } from 'kysely'
import { yieldIfDue } from '../concurrency/event-loop.js'
import type { Connection } from './database.js'
import type { Tables } from './schema.js'

/** Rows per statement: far fewer than the parameter limit of a database, and the service can answer requests in between. */
export const BATCH_ROWS = 200

/** Yields `items` in batches, one batch per statement. */
export async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[], void, void> {
  for (const some of slices(items)) {
    await yieldIfDue()
    yield some
  }
}

/** The same at once, for some hundreds of items whose statements are sent together. */
export function slices<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.ceil(items.length / BATCH_ROWS)
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * BATCH_ROWS, (index + 1) * BATCH_ROWS),
  )
}

/**
 * Insert rows, or replace those with the same key. `rowOf` is called for one batch at a time, because serializing documents as JSON takes
 * time. A key must not occur twice within one call.
 */
export async function upsert<Table extends keyof Tables, Item>(
  connection: Connection,
  table: Table,
  key: readonly (keyof Tables[Table] & string)[],
  items: readonly Item[],
  rowOf: (item: Item) => Insertable<Tables[Table]>,
): Promise<void> {
  // The table is known only at run time, but kysely's types require one name.
  const rows = connection as unknown as Kysely<{ rows: Record<string, unknown> }>
  for await (const some of batches(items)) {
    const values = some.map(rowOf) as Record<string, unknown>[]
    const others = Object.keys(values[0] ?? {}).filter(
      (column) => !(key as readonly string[]).includes(column),
    )
    await rows
      .insertInto(table as 'rows')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(key)
          .doUpdateSet((row) =>
            Object.fromEntries(others.map((column) => [column, row.ref(`excluded.${column}`)])),
          ),
      )
      .execute()
  }
}
