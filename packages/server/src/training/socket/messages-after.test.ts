/** @module-tag service */
import { type JobMessage, TrainingConfig } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import { StoredPaths } from '../configuration/stored-paths.js'
import { TrainingRepository } from '../training.repository.js'

describeEachDatabase((databases) => {
  test('messages of several jobs follow the position of each, in order, up to the limit per job', async () => {
    const database = await databases.open()
    const repository = new TrainingRepository(database, new StoredPaths([]))
    const message = (job_id: string, seq: number) => ({ type: 'log', job_id, seq, text: `a "quoted", text` })
    const config = TrainingConfig.parse({
      data: { train_csv: '/train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
      training: { epochs: 1, batch_size: 4 },
    })
    for (const job_id of ['a', 'b', 'c']) {
      await repository.insert({
        ...{
          job_id,
          job_name: job_id,
          config,
          epoch: 0,
          total_epochs: 1,
          created_at: '2026-01-02T03:04:05.000Z',
        },
        ...{ resumed_from: null, fine_tuned_from: null },
      })
      const messages = [3, 1, 2, 5, 4].map((seq) => message(job_id, seq))
      await repository.append(messages as unknown as JobMessage[])
    }
    const found = await repository.messagesAfter(
      [
        ['b', 3],
        ['a', 0],
        ['c', 5],
        ['none', 0],
      ],
      4,
    )
    expect(new Map(found.map(([jobId, messages]) => [jobId, JSON.parse(messages)]))).toEqual(
      new Map([
        ['b', [4, 5].map((seq) => message('b', seq))],
        ['a', [1, 2, 3, 4].map((seq) => message('a', seq))],
        ['c', []],
        ['none', []],
      ]),
    )
    await database.destroy()
  })
})
