import type { Compilable } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { CompiledQueries } from './compiled-queries.js'
import type { Connection, Database } from './database.js'

describeEachDatabase((databases) => {
  let database: Database
  let queries: CompiledQueries
  let built: number
  beforeEach(async () => {
    database = await databases.open()
    queries = new CompiledQueries(database)
    built = 0
    await database
      .insertInto('datasets')
      .values(
        ['a', 'b'].map((dataset_id) => ({ dataset_id, path: dataset_id, record: '{}', created_at: '' })),
      )
      .execute()
  })
  afterEach(() => database.destroy())

  /** The second value appears before the first one in the text. */
  const setRecord = async (connection: Connection, id: string, record: string) => {
    const { rows } = await queries.execute<{ path: string }>(
      connection,
      'set',
      [id, record],
      (tables, slot) => {
        built += 1
        return tables
          .updateTable('datasets')
          .set({ record: slot(1) })
          .where('dataset_id', '=', slot(0))
          .where('created_at', '=', '')
          .returning('path') as Compilable<{ path: string }>
      },
    )
    return rows
  }
  const records = async () =>
    (await database.selectFrom('datasets').select('record').orderBy('number').execute()).map(
      ({ record }) => record,
    )

  test('a query is built once, and receives new values each time', async () => {
    expect(await setRecord(database, 'a', '{"a":1}')).toEqual([{ path: 'a' }])
    expect(await setRecord(database, 'b', '{"b":2}')).toEqual([{ path: 'b' }])
    expect(await setRecord(database, 'c', '{}')).toEqual([])
    expect(built).toBe(1)
    expect(await records()).toEqual(['{"a":1}', '{"b":2}'])
  })

  test('it belongs to the transaction in which it runs', async () => {
    const undone = database.transaction().execute(async (transaction) => {
      await setRecord(transaction, 'a', '{"a":1}')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await records()).toEqual(['{}', '{}'])
  })
})
