import { existsSync } from 'node:fs'
import { MedloomClient } from '@medloom/client'
import type { ExampleDataset, TrainingCheck } from '@medloom/contracts'
import { beforeAll, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'

const caller = new Caller(shared.url)
/** In the folder "example", before it exists. */
let uploaded: string
beforeAll(async () => {
  const table = new Blob(['case_id,label\n1,yes\n'])
  const client = new MedloomClient({ baseUrl: shared.url })
  uploaded = (await client.uploadFile(table, { folder: 'example', path: 'own.csv' })).path
})

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
  const { body: list } = await caller.get<{ datasets: { path: string }[] }>('/api/datasets?page_size=1000')
  expect(list.datasets.filter(({ path }) => path === dataset.path)).toHaveLength(1)
})

it('the example took no folder of an upload, and stays as it was edited', async () => {
  expect(existsSync(uploaded)).toBe(true)
  const make = async () => (await caller.post<ExampleDataset>('/api/datasets/example')).body.dataset
  const { dataset_id } = await make()
  await caller.patch(`/api/datasets/${dataset_id}`, { name: 'For the lecture' })
  expect(await make()).toMatchObject({ dataset_id, name: 'For the lecture' })
})
