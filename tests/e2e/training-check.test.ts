import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorBody, Job, TrainingCheck } from '@medloom/contracts'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { eventually } from '../../packages/server/testing/eventually.js'
import { patient } from '../testing/deadline.js'
import { Caller } from '../testing/http.js'
import { shared, training } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(training.url)
const { dataset } = training

/** The answer of the trainer, which a busy machine gives only after several requests. */
const check = async (config: object, url = training.url) => {
  const request = async () => {
    const { status, body } = await new Caller(url).post<TrainingCheck>('/api/training/check', {
      config,
      wait_seconds: 60,
    })
    expect(status).toBe(200)
    return body
  }
  return eventually(request, ({ trainer }) => trainer.state !== 'working', { within: patient(120) })
}

const SAYS = 'the check says before a training what the training then reports: %s'
it(SAYS.replace('%s', 'image and table'), async () => {
  const config = trainingConfig(dataset)
  await expectSame(config, await check(config), await caller.ended(training.referenceJob))
})
it.each([
  ['image and table with all baselines', { baselines: undefined }],
  ['late fusion of an ensemble', { model: { fusion_type: 'late' as const, members: 2 } }],
  [
    'the table alone, validation of its own',
    { model: { vision_backbone: 'none' as const, members: null }, data: { val_csv: null } },
  ],
  ['the image alone', { model: { fusion_type: 'none' as const } }],
])(SAYS, { tags: ['full'] }, (_, changes) => expectSameAfterwards(changes))

async function expectSameAfterwards(changes: Parameters<typeof trainingConfig>[1]): Promise<void> {
  const config = trainingConfig(dataset, { ...changes, training: { epochs: 1 } })
  const checked = await check(config)
  await expectSame(config, checked, await caller.ended(await caller.start(config)))
}

async function expectSame(config: object, checked: TrainingCheck, job: Job): Promise<void> {
  expect(checked).toMatchObject({ ok: true, issues: [], trainer: { state: 'answered' } })
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
  expect(again.time).toMatchObject({
    basis: 'same',
    jobs: expect.arrayContaining([job.job_id]),
    reason: null,
  })
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
  const wrong = { data: { label_column: 'absent' }, training: { batch_size: 5000 } }
  const { ok, issues, config } = await check(trainingConfig(dataset, wrong))
  expect([ok, config === null]).toEqual([false, false])
  const job = await caller.ended(await caller.start(trainingConfig(dataset, wrong)))
  expect(job.status).toBe('failed')
  expect(issues.map(({ code }) => code)).toContain(job.error?.code)
})

it('the check leaves jobs and files as they were', async () => {
  // No file of another worker uses this service.
  const { url, dataset } = shared
  const list = async () => (await new Caller(url).get<{ total: number }>('/api/training?page_size=1')).body
  const state = async () => [(await list()).total, readdirSync(dataset, { recursive: true }).sort()]
  const before = await state()
  await check(trainingConfig(dataset, { data: { image_root: join(dataset, '.') } }), url)
  expect(await state()).toEqual(before)
})
