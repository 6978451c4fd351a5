import { Dataset, DatasetSummary, LeaksFound } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)

describe('2.9 Dataset record', () => {
  let record: Dataset
  beforeAll(async () => {
    const { status, body } = await caller.post('/api/datasets', {
      path: `${shared.dataset}/train.csv`,
      name: 'synthetic',
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    record = Dataset.parse(body)
  })

  it(
    'is listed after it was registered, and found by its id',
    shows('2.9/fields', '4/datasets', '1/datasets'),
    async () => {
      const { body } = await caller.get<{ datasets: DatasetSummary[] }>('/api/datasets')
      expect(body.datasets).toContainEqual(DatasetSummary.parse(record))
      expect((await caller.get(`/api/datasets/${record.dataset_id}`)).body).toEqual(record)
    },
  )
  it('contains the role of each column', shows('2.9/fields'), () => {
    const roles = new Map(record.columns.map(({ name, role }) => [name, role]))
    expect([...roles.values()]).toEqual(expect.arrayContaining(['image', 'label', 'patient']))
    expect(record.kind).toBe('multimodal')
  })
  it('counts cases, patients, classes and missing values', shows('2.9/fields'), () => {
    expect(record.num_cases).toBeGreaterThan(0)
    expect(record.num_patients).toBeGreaterThan(0)
    expect(record.classes?.reduce((sum, { count }) => sum + count, 0)).toBe(record.num_cases)
    expect(Object.values(record.missing).some((count) => count > 0)).toBe(true)
  })
  it('states its readiness for training, check by check', shows('2.9/fields'), () => {
    expect(['ready', 'warning']).toContain(record.readiness.status)
    expect(record.readiness.checks.length).toBeGreaterThan(3)
  })
  it('changes its name, note and roles; what its files hold stays', async () => {
    const path = `/api/datasets/${record.dataset_id}`
    const change = { name: 'renamed', note: 'as chosen', roles: { marker: 'ignored' } }
    const { status, body } = await caller.patch<Dataset>(path, change)
    expect([status, Dataset.parse(body)]).toEqual([200, body])
    expect(body).toMatchObject({ ...change, digest: record.digest, num_cases: record.num_cases })
    expect(body.columns.find(({ name }) => name === 'marker')?.role).toBe('ignored')
    expect((await caller.get(path)).body).toEqual(body)
    const back = await caller.patch(path, { name: record.name, note: '', roles: {} })
    expect(back.body).toMatchObject({ columns: record.columns, readiness: record.readiness })
  })
  it('lists leaking pairs of cases by row', async () => {
    const { status, body } = await caller.post(`/api/datasets/${record.dataset_id}/leaks`)
    expect(status).toBe(200)
    expect(LeaksFound.parse(body)).toEqual(body)
    expect(body).toMatchObject({ unreadable: 0, compared: true, totals: { patient: 0, same: 0 } })
  })
  it('an inspection finds the same and registers nothing', async () => {
    const before = await caller.get('/api/datasets')
    const { body } = await caller.post('/api/datasets/inspect', { path: `${shared.dataset}/train.csv` })
    expect(body).toMatchObject({ digest: record.digest, num_cases: record.num_cases })
    expect((await caller.get('/api/datasets')).body).toEqual(before.body)
  })
})
