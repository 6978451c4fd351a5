import { MEASURED_RESOURCES, ResourceSeries, type TrainerResources } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { ResourceWatch } from './resource-ingest.js'
import { ResourceLevelsRepository } from './resource-levels.repository.js'
import { resourceSeries } from './resource-series.js'

let domain: TrainingDomain
let jobId: string
beforeEach(async () => {
  domain = new TrainingDomain()
  await domain.open()
  jobId = await domain.accept()
  await domain.submitted(jobId)
})
afterEach(() => domain.remove())

/** The sample at this step: memory is the step, there is no GPU. */
function sample(step: number): TrainerResources {
  const values = { ...Object.fromEntries(MEASURED_RESOURCES.map((name) => [name, 1])), memory_bytes: step }
  return {
    at: new Date(1_700_000_000_000 + 5000 * step).toISOString(),
    step,
    values: { ...values, gpu_percent: null } as TrainerResources['values'],
    reasons: { gpu_percent: 'the training runs on the CPU' },
  }
}

const write = (from: number, to: number, attempt = 1) => {
  const steps = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const text = steps.map((step) => `${JSON.stringify(sample(step))}\n`).join('')
  domain.exchanges.get(jobId).writeResources(attempt, text)
}

const series = async (request: object = {}) =>
  ResourceSeries.parse(
    await resourceSeries(new ResourceLevelsRepository(domain.database), jobId, { buckets: 500, ...request }),
  )

const points = async () => (await series()).points.reduce((sum, count) => sum + count, 0)

test('measurements of a trainer are stored once, even over a restart and an invalid line', async () => {
  write(1, 40)
  await until(async () => (await points()) === 40)
  await domain.restart()
  domain.exchanges.get(jobId).writeResources(1, '{"at": "cut\n')
  write(41, 60)
  await until(async () => (await points()) === 60)
  const { step, at, series: all, reasons } = await series()
  expect(step).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  expect(at[0]).toBe(sample(1).at)
  expect(all.memory_bytes.last).toEqual(step)
  expect(all.gpu_percent.mean.every((value) => value === null)).toBe(true)
  expect(reasons).toEqual({ gpu_percent: 'the training runs on the CPU' })
})

test('the last measurements are stored with the end of the job, without a message to followers', async () => {
  const exchange = domain.exchanges.get(jobId)
  // The read before the end returns nothing, so that the last read has to store everything.
  const look = vi.spyOn(exchange, 'resources').mockResolvedValueOnce(null)
  await until(async () => look.mock.calls.length > 0)
  write(1, 3)
  exchange.writeEvent(domain.completed())
  await domain.until(jobId, ({ status }) => status === 'completed')
  await until(async () => (await points()) === 3)
  const { events } = (await domain.training.routes.listJobEvents({
    params: { job_id: jobId },
    query: { since: 0, limit: 10 },
  } as never)) as { events: { type: string }[] }
  expect(events.map(({ type }) => type)).toEqual(['completed'])
})

test('a window of steps is returned in buckets, and a long training in a limited number of rows', async () => {
  write(1, 1000)
  await until(async () => (await points()) === 1000)
  const { step, points: counts, series: all } = await series({ from: 101, to: 200, buckets: 10 })
  expect(step.length).toBeLessThanOrEqual(10)
  expect([step.at(-1), counts.reduce((sum, count) => sum + count, 0)]).toEqual([200, 100])
  expect([all.memory_bytes.min[0], all.memory_bytes.max.at(-1)]).toEqual([101, 200])
  expect((await series({ from: 5000 })).step).toEqual([])
})

test('a job without measurements has no buckets; an unknown one is refused', async () => {
  expect(await series()).toMatchObject({ at: [], series: { cpu_percent: { mean: [] } }, reasons: {} })
  const unknown = domain.training.routes.getJobResources({
    params: { job_id: 'nobody' },
    query: { buckets: 1 },
  } as never)
  await expect(unknown).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
})

test('a failed read is logged, unless the service has ended meanwhile', async () => {
  const levels = new ResourceLevelsRepository(domain.database)
  const failedLook = async (end: (watch: ResourceWatch) => void) => {
    let fail: (error: Error) => void = () => undefined
    const looking = new Promise<never>((_, reject) => {
      fail = reject
    })
    const resources = vi.fn(() => looking)
    const warn = vi.fn()
    const watch = new ResourceWatch({
      ...{ jobId, attempt: 1, exchange: { resources }, levels, log: { warn }, lookMilliseconds: 1 },
    })
    await until(async () => resources.mock.calls.length > 0)
    end(watch)
    fail(new Error('the database is closed'))
    await new Promise(setImmediate)
    watch.detach()
    return warn.mock.calls
  }
  expect(await failedLook(() => undefined)).toHaveLength(1)
  expect(await failedLook((watch) => watch.detach())).toHaveLength(0)
})
