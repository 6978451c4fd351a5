import { isTerminalMessage, JobMessage } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared, training } from '../testing/shared.js'
import { longTrainingConfig } from '../testing/training.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const reference = shared.referenceJob

describe('6 Events', () => {
  let events: JobMessage[]
  let code: number
  beforeAll(async () => {
    await caller.ended(reference)
    const received = await caller.listen(reference, '?since=0')
    events = received.messages
    code = received.code
  })

  it('each message is a JSON object of a declared type', shows('6/types'), () => {
    for (const message of events) expect(JobMessage.parse(message)).toEqual(message)
  })
  it('progress: training progress', shows('6/progress'), () =>
    expect(events.some(({ type }) => type === 'progress')).toBe(true),
  )
  it('epoch_end: each epoch is completed once', shows('6/epoch_end', '6/payloads'), () => {
    expect(events.filter(({ type }) => type === 'epoch_end').map(({ epoch }) => epoch)).toEqual([1, 2])
  })
  it('validation: validation metrics of each epoch', shows('6/validation', '6/payloads'), () => {
    const validations = events.filter(({ type }) => type === 'validation')
    expect(validations.map(({ epoch }) => epoch)).toEqual([1, 2])
    for (const { metrics } of validations) {
      expect(metrics).toHaveProperty('val_loss')
      expect(metrics).toHaveProperty('val_auc')
    }
  })
  it(
    'completed: training is completed, with the model and its best checkpoint',
    shows('6/completed', '6/payloads'),
    async () => {
      const { model_id } = await caller.status(reference)
      expect(events.at(-1)).toMatchObject({
        type: 'completed',
        status: 'completed',
        model_id,
        best_checkpoint: expect.any(String),
      })
    },
  )
  it('error: an error occurred, with error, code and details', shows('6/error', '6/payloads'), async () => {
    const trainer = new Caller(training.url)
    const jobId = await trainer.start({
      data: { train_csv: `${training.dataset}/train.csv`, label_column: 'nothing' },
      model: { vision_backbone: 'none', fusion_type: 'concatenate' },
      training: { epochs: 1, batch_size: 4 },
    })
    const { messages } = await trainer.listen(jobId)
    expect(messages.at(-1)).toMatchObject({
      type: 'error',
      code: 'COLUMN_NOT_FOUND',
      error: expect.any(String),
      details: expect.any(String),
    })
  })
  it(
    'seq is dense, and exactly one terminal message is the last; then the server closes with 1000',
    shows('6/delivery'),
    () => {
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(events.filter(isTerminalMessage)).toEqual([events.at(-1)])
      expect(code).toBe(1000)
    },
  )
  it('?since=N replays what follows N', shows('6/delivery'), async () => {
    const { messages } = await caller.listen(reference, '?since=3')
    expect(messages).toEqual(events.slice(3))
  })
  it('without since, progress that was superseded is left out and nothing else', async () => {
    const { messages } = await caller.listen(reference)
    const others = (list: JobMessage[]) => list.filter(({ type }) => type !== 'progress')
    expect(others(messages)).toEqual(others(events))
    expect(messages.filter(({ type }) => type === 'progress').length).toBeLessThanOrEqual(1)
  })
  it(
    'a client that comes in the middle misses nothing and hears nothing twice',
    shows('6/delivery'),
    async () => {
      const jobId = await caller.start(longTrainingConfig(shared.dataset), 'followed delay=20')
      await caller.until(jobId, ({ epoch }) => epoch >= 2)
      const early = caller.listen(jobId, '?since=0')
      await caller.until(jobId, ({ epoch }) => epoch >= 3)
      const late = caller.listen(jobId, '?since=0')
      await caller.post(`/api/training/${jobId}/stop`)
      const [first, second] = await Promise.all([early, late])
      expect(first.messages.map(({ seq }) => seq)).toEqual([...new Set(first.messages.map(({ seq }) => seq))])
      const kinds = (list: JobMessage[]) => list.filter(({ type }) => type !== 'progress')
      expect(kinds(second.messages)).toEqual(kinds(first.messages))
      expect(first.messages.at(-1)).toMatchObject({ type: 'completed', status: 'stopped' })
    },
  )
})
