import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorBody, TrainingCheck } from '@medloom/contracts'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset

const check = async (config: object) => {
  const { status, body } = await caller.post<TrainingCheck>('/api/training/check', {
    config,
    wait_seconds: 60,
  })
  expect(status).toBe(200)
  return body
}

const SAYS = 'the check says before a training what the training then reports: %s'
it.each([
  ['image and table', { baselines: undefined }],
  [
    'the table alone, validation of its own',
    { model: { vision_backbone: 'none', members: null }, data: { val_csv: null } },
  ],
])(SAYS, (_, changes) => expectSame(changes))
it.each([
  ['late fusion of an ensemble', { model: { fusion_type: 'late' as const, members: 2 } }],
  ['the image alone', { model: { fusion_type: 'none' as const } }],
])(SAYS, { tags: ['full'] }, (_, changes) => expectSame(changes))

async function expectSame(changes: Parameters<typeof trainingConfig>[1]): Promise<void> {
  const config = trainingConfig(dataset, { ...changes, training: { epochs: 1 } })
  const checked = await check(config)
  expect(checked).toMatchObject({ ok: true, issues: [], trainer: { state: 'answered' } })
  const jobId = await caller.start(config)
  const job = await caller.ended(jobId)
  expect(job.status).toBe('completed')
  expect(checked.config).toEqual(job.config)
  const { prepared } = job
  expect(checked.model).toMatchObject({
    exact: true,
    parameters: prepared?.parameters,
    trainable_parameters: prepared?.trainable_parameters,
  })
  for (const key of ['task', 'classes', 'label_column', 'patient_column', 'ignored_columns'] as const)
    expect(checked.data?.[key]).toEqual(prepared?.[key])
  for (const split of ['train', 'val']) expect(checked.data?.splits[split]).toEqual(prepared?.splits[split])
  const again = await check(config)
  expect(again.time).toMatchObject({ basis: 'same', jobs: expect.arrayContaining([jobId]), reason: null })
  const seconds = (Date.parse(String(job.ended_at)) - Date.parse(String(job.started_at))) / 1000
  expect(again.time.low_seconds).toBeLessThanOrEqual(seconds * 1.01)
  expect(again.time.high_seconds).toBeGreaterThanOrEqual(seconds * 0.99)
}

it('the check finds what a start is refused for, with the same code and place', async () => {
  const wrong = [
    trainingConfig(dataset, { training: { epochs: 0 } }),
    trainingConfig(dataset, { model: { vision_backbone: 'resnet19' as never } }),
    trainingConfig(dataset, { data: { train_csv: 'absent.csv', val_csv: 'absent too.csv' } }),
    trainingConfig(dataset, { model: { fine_tune_from: '00000000-0000-4000-8000-000000000000' } }),
    { ...trainingConfig(dataset), nothing: 1 },
  ]
  for (const config of wrong) {
    const refused = await caller.post<z.infer<typeof ErrorBody>>('/api/training/start', { config })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const { ok, issues } = await check(config)
    expect(ok).toBe(false)
    const found = issues.map(({ code, path }) => `${code} ${path}`)
    const reported = refused.body.issues ?? [{ code: refused.body.code, path: 'config.model.fine_tune_from' }]
    expect(found).toEqual(expect.arrayContaining(reported.map(({ code, path }) => `${code} ${path}`)))
  }
})

it('the check finds what the training would fail of', async () => {
  const config = trainingConfig(dataset, { data: { label_column: 'absent' }, training: { batch_size: 5000 } })
  const { ok, issues, config: complete } = await check(config)
  expect([ok, complete === null]).toEqual([false, false])
  const job = await caller.ended(await caller.start(config))
  expect(job.status).toBe('failed')
  expect(issues.map(({ code }) => code)).toContain(job.error?.code)
})

it('the check leaves jobs and files as they were', async () => {
  const total = async () => (await caller.get<{ total: number }>('/api/training?page_size=1')).body.total
  const before = [await total(), readdirSync(dataset, { recursive: true }).sort()]
  await check(trainingConfig(dataset, { data: { image_root: join(dataset, '.') } }))
  expect([await total(), readdirSync(dataset, { recursive: true }).sort()]).toEqual(before)
})
