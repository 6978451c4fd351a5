import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)

describe('2.3 Model record', () => {
  let model: Record<string, unknown>
  beforeAll(async () => {
    const job = await caller.ended(shared.referenceJob)
    const { body } = await caller.get<{ models: Record<string, unknown>[] }>('/api/models?page_size=1000')
    const found = body.models.find(({ job_id }) => job_id === job.job_id)
    if (!found) throw new Error('the completed job registered no model')
    model = found
  })

  it('model_id is a string', shows('2.3/model_id'), () =>
    expect(model.model_id).toMatch(/^mobilenetv3_small_100_concatenate_\d{3}$/),
  )
  it('architecture is the backbone name', shows('2.3/architecture'), () =>
    expect(model.architecture).toBe('mobilenetv3_small_100'),
  )
  it('fusion_type is a string', shows('2.3/fusion_type'), () => expect(model.fusion_type).toBe('concatenate'))
  it('created_at is an ISO 8601 UTC timestamp', shows('2.3/created_at'), () => {
    expect(model.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  })
  it('metrics holds the numbers val_accuracy and val_auc', shows('2.3/metrics'), () => {
    expect(model.metrics).toMatchObject({ val_accuracy: expect.any(Number), val_auc: expect.any(Number) })
  })
  it(
    'metrics are those of the checkpoint that was registered: the best epoch',
    shows('2.3/metrics'),
    async () => {
      const job = await caller.ended(shared.referenceJob)
      expect(model.metrics).toMatchObject({
        val_auc: job.best?.metrics.val_auc,
        val_accuracy: job.best?.metrics.val_accuracy,
      })
    },
  )
})
