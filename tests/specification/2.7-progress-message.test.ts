import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

describe('2.7 Progress message', () => {
  let progress: Record<string, unknown>[]
  beforeAll(async () => {
    const caller = new Caller(shared.url)
    const jobId = shared.referenceJob
    await caller.ended(jobId)
    const { messages } = await caller.listen(jobId, '?since=0')
    progress = messages.filter(({ type }) => type === 'progress')
  })

  it('comes at least once per epoch', shows('2.7/epoch'), () => {
    expect(new Set(progress.map(({ epoch }) => epoch))).toEqual(new Set([1, 2]))
  })
  it(
    'has type, job_id, epoch, batch and total_batches',
    shows('2.7/type', '2.7/job_id', '2.7/epoch', '2.7/batch', '2.7/total_batches'),
    () => {
      for (const message of progress)
        expect(message).toMatchObject({
          type: 'progress',
          job_id: shared.referenceJob,
          epoch: expect.any(Number),
          batch: expect.any(Number),
          total_batches: expect.any(Number),
        })
    },
  )
  it('batch counts up to total_batches', shows('2.7/batch', '2.7/total_batches'), () => {
    const messages = progress as { epoch: number; batch: number; total_batches: number }[]
    for (const epoch of [1, 2]) {
      const counted = messages.filter((message) => message.epoch === epoch)
      const batches = counted.map(({ batch }) => batch)
      expect(batches, 'each later than the one before').toEqual([...new Set(batches)].sort((a, b) => a - b))
      expect(batches[0]).toBeGreaterThanOrEqual(1)
      expect(batches.at(-1)).toBeLessThanOrEqual(counted[0]?.total_batches ?? 0)
      expect(new Set(counted.map(({ total_batches }) => total_batches)).size).toBe(1)
    }
    expect(messages.map(({ epoch }) => epoch)).toEqual(messages.map(({ epoch }) => epoch).sort())
  })
  it('metrics holds the numbers loss and accuracy', shows('2.7/metrics'), () => {
    for (const { metrics } of progress)
      expect(metrics).toMatchObject({ loss: expect.any(Number), accuracy: expect.any(Number) })
  })
})
