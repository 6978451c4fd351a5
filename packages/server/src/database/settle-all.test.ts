import { expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { settleAll } from './settle-all.js'

describeEachDatabase((databases) => {
  test('a statement that follows a failed one is rolled back with it', async () => {
    const database = await databases.open()
    const turn = () => new Promise(setImmediate)
    const work = database.transaction().execute((transaction) => {
      const insert = (id: string) =>
        transaction
          .insertInto('datasets')
          .values({ dataset_id: id, path: id, record: '{}', created_at: '' })
          .execute()
      const late = async () => {
        for (let turns = 0; turns < 5; turns++) await turn()
        await insert('late')
      }
      return settleAll([insert('first'), Promise.reject(new Error('no')), late()])
    })
    await expect(work).rejects.toThrow('no')
    expect(await database.selectFrom('datasets').select('dataset_id').execute()).toEqual([])
    await database.destroy()
  })
})
