import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'

describe('2.7 Progress message', () => {
  let progress: Record<string, unknown>[]
  beforeAll(async () => {
    const caller = new Caller(shared.url)
    const jobId = shared.referenceJob
    await caller.ended(jobId)
    const { messages } = await caller.listen(jobId, '?since=0')
    progress = messages.filter(({ type }) => type === 'progress')
  })

  it('comes at least once per epoch', () => {
    expect(new Set(progress.map(({ epoch }) => epoch))).toEqual(new Set([1, 2]))
  })
  it('has type, job_id, epoch, batch and total_batches', () => {
    for (const message of progress)
      expect(message).toMatchObject({
        type: 'progress',
        job_id: shared.referenceJob,
        epoch: expect.any(Number),
        batch: expect.any(Number),
        total_batches: expect.any(Number),
      })
  })
  it('batch counts up to total_batches', () => {
    for (const { batch, total_batches } of progress as { batch: number; total_batches: number }[]) {
      expect(batch).toBeGreaterThanOrEqual(1)
      expect(batch).toBeLessThanOrEqual(total_batches)
    }
  })
  it('metrics holds the numbers loss and accuracy', () => {
    for (const { metrics } of progress)
      expect(metrics).toMatchObject({ loss: expect.any(Number), accuracy: expect.any(Number) })
  })
})
