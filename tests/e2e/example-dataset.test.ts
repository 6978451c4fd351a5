import { existsSync } from 'node:fs'
import { MedloomClient } from '@medloom/client'
import type { ExampleDataset, TrainingCheck } from '@medloom/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'

let service: RunningService
let caller: Caller
/** In the folder "example", before it exists. */
let uploaded: string
beforeAll(async () => {
  service = await startService({ roots: [temporaryFolder('example')] })
  caller = new Caller(service.url)
  const table = new Blob(['case_id,label\n1,yes\n'])
  const client = new MedloomClient({ baseUrl: service.url })
  uploaded = (await client.uploadFile(table, { folder: 'example', path: 'own.csv' })).path
})
afterAll(() => service.stop())

it('the example is made once, is registered, and its configuration can be started', async () => {
  const make = () => caller.post<ExampleDataset>('/api/datasets/example')
  const [one, other] = await Promise.all([make(), make()])
  expect([one.status, other.status]).toEqual([200, 200])
  const { dataset, config } = one.body
  expect(other.body.dataset.dataset_id).toBe(dataset.dataset_id)
  expect(dataset).toMatchObject({ kind: 'multimodal', task: 'classification', num_cases: 400 })
  expect(dataset.readiness.status).not.toBe('blocked')
  const { body } = await caller.post<TrainingCheck>('/api/training/check', { config, wait_seconds: 60 })
  expect(body).toMatchObject({ ok: true, issues: [], trainer: { state: 'answered' } })
  const before = existsSync(String(config.data?.train_csv))
  const again = await make()
  expect([before, again.body.dataset.dataset_id]).toEqual([true, dataset.dataset_id])
  const { body: list } = await caller.get<{ datasets: unknown[] }>('/api/datasets')
  expect(list.datasets).toHaveLength(1)
})

it('the example took no folder of an upload, and stays as it was edited', async () => {
  expect(existsSync(uploaded)).toBe(true)
  const make = async () => (await caller.post<ExampleDataset>('/api/datasets/example')).body.dataset
  const { dataset_id } = await make()
  await caller.patch(`/api/datasets/${dataset_id}`, { name: 'For the lecture' })
  expect(await make()).toMatchObject({ dataset_id, name: 'For the lecture' })
})

it('states the remedy if Python cannot create it', async () => {
  const broken = await startService({
    roots: [temporaryFolder('example')],
    arguments: ['--python', '/nonexistent/python'],
  })
  const answer = await new Caller(broken.url).post('/api/datasets/example')
  expect([answer.status, answer.body.code]).toEqual([500, 'PYTHON_UNAVAILABLE'])
  await broken.stop()
})
