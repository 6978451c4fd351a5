import type { Connection } from './database.js'

/**
 * The next number of a counter, from 1. A single statement, so that two callers never get the same number; rolled back with its
 * transaction.
 */
export async function nextNumber(connection: Connection, name: string): Promise<number> {
  const { value } = await connection
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row('counters.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}
