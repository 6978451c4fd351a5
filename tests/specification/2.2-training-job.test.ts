import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('2.2 Training job', () => {
  it('job_id is a UUID', shows('2.2/job_id'), () => {
    expect(shared.referenceJob).toMatch(UUID)
  })

  it('status is one of section 3', shows('2.2/status'), async () => {
    const job = await caller.ended(shared.referenceJob)
    expect(job.status, JSON.stringify(job.error)).toBe('completed')
  })

  it('reads images and a table', shows('1/multimodal'), async () => {
    const { prepared } = await caller.ended(shared.referenceJob)
    expect(prepared?.image_columns).toEqual(['image'])
    expect(prepared?.numeric_columns).toContain('age')
  })

  it(
    'epoch and total_epochs are integers, epoch the current one',
    shows('2.2/epoch', '2.2/total_epochs'),
    async () => {
      const job = await caller.ended(shared.referenceJob)
      expect([job.epoch, job.total_epochs]).toEqual([2, 2])
    },
  )

  it('metrics holds the numbers train_loss, val_loss and val_accuracy', shows('2.2/metrics'), async () => {
    const { metrics } = await caller.ended(shared.referenceJob)
    for (const name of ['train_loss', 'val_loss', 'val_accuracy'])
      expect(metrics[name], name).toEqual(expect.any(Number))
  })

  it(
    'metrics are null, not absent and not made up, before the first epoch has ended',
    shows('2.2/metrics'),
    async () => {
      const jobId = await caller.start(longTrainingConfig(dataset), 'in its first epoch batches=20000')
      const { metrics } = await caller.status(jobId)
      expect(metrics).toMatchObject({ train_loss: null, val_loss: null, val_accuracy: null, val_auc: null })
      await caller.post(`/api/training/${jobId}/stop`)
    },
  )

  it('message is only in start and stop responses', shows('2.2/message'), async () => {
    const { body: started } = await caller.post('/api/training/start', {
      config: longTrainingConfig(dataset),
      job_name: 'message pause=1',
    })
    expect(started.message).toEqual(expect.any(String))
    const { body: status } = await caller.get(`/api/training/${started.job_id}/status`)
    expect(status).not.toHaveProperty('message')
    const { body: stopped } = await caller.post(`/api/training/${started.job_id}/stop`)
    expect(stopped.message).toEqual(expect.any(String))
  })

  it('the start request carries job_name', shows('2.2/job_name'), async () => {
    const { body } = await caller.post('/api/training/start', {
      config: trainingConfig(dataset, { model: { vision_backbone: 'none' }, training: { epochs: 1 } }),
      job_name: 'Fusion, first try (é)',
    })
    expect((await caller.status(String(body.job_id))).job_name).toBe('Fusion, first try (é)')
    await caller.post(`/api/training/${body.job_id}/stop`)
  })
})
