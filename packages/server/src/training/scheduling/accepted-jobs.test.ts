import { expect, test, vi } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import { openDatabase } from '../../database/database.js'
import { StoredPaths } from '../configuration/stored-paths.js'
import { TrainingRepository } from '../training.repository.js'
import { AcceptedJobs } from './accepted-jobs.js'

describeEachDatabase(({ place }) => {
  test('jobs of other processes join the queue once each, and a long queue is not read again for a new job', async () => {
    const database = await openDatabase(await place())
    const repository = new TrainingRepository(database, new StoredPaths([]))
    const accept = (job_id: string) =>
      repository.insert({
        ...{ job_id, job_name: job_id, config: { training: {} } as never, total_epochs: 1, epoch: 0 },
        ...{ resumed_from: null, fine_tuned_from: null, created_at: '' },
      })
    const queue: string[] = []
    const waitingAfter = vi.spyOn(repository, 'waitingAfter')
    const find = vi.spyOn(repository, 'find')
    const accepted = new AcceptedJobs({
      repository,
      scheduler: {
        enqueue: ({ job_id }) => queue.push(job_id),
        knows: (jobId) => queue.includes(jobId) || jobId === 'own',
      },
      log: { warn: () => undefined },
    })
    for (const id of ['a', 'own', 'b']) await accept(id)
    accepted.start()
    await vi.waitFor(() => expect(queue).toEqual(['a', 'b']))
    await accept('stopped')
    await database.updateTable('jobs').set({ status: 'stopped' }).where('job_id', '=', 'stopped').execute()
    // A job that could not be read is read at the next poll, and later ones wait for it.
    find.mockRejectedValueOnce(new Error('the database is away'))
    for (const id of ['c', 'd']) await accept(id)
    accepted.look()
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(3))
    expect(queue).toEqual(['a', 'b'])
    accepted.look()
    await vi.waitFor(() => expect(queue).toEqual(['a', 'b', 'c', 'd']))
    accepted.look()
    await vi.waitFor(async () => expect(await waitingAfter.mock.results.at(-1)?.value).toEqual([]))
    accepted.close()
    await database.destroy()
  })
})
