import { expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import { FollowUpsRepository } from '../../follow-ups/follow-ups.repository.js'
import { predictCases } from './predict-cases.js'

describeEachDatabase((databases) => {
  test('a model whose predictions a silent follow-up hides is refused', async () => {
    const database = await databases.open()
    await new FollowUpsRepository(database).add({
      ...{ follow_up_id: 'f', name: 'study', model_id: 'm', id_column: null, silent: true, window_days: 30 },
      ...{ owner: 'ann', created_at: '2026-01-01T00:00:00.000Z', closed_at: null },
      evaluations: 0,
    })
    const executor = predictCases({ find: async () => ({ model: { model_id: 'm' } }) } as never)
    const task = { config: { model_id: 'champion' }, inputs: {} }
    await expect(executor(task as never, { service: { database } } as never)).rejects.toMatchObject({
      code: 'FOLLOW_UP_SILENT',
    })
    await database.destroy()
  })
})
