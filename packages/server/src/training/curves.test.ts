import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobMessage, MetricSeries } from '@medloom/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, startTrainingService } from '../../testing/training/training-service.js'

const place = new Place()
let service: Awaited<ReturnType<typeof startTrainingService>>
let stopped: string
let resumed: string
beforeAll(async () => {
  service = await startTrainingService(place)
  stopped = await service.start('recording=resumed batches=10 pause=4', place.config({ epochs: 6 }))
  await service.until(stopped, ({ epoch, metrics }) => epoch >= 3 && metrics.val_loss !== null)
  await service.stop(stopped)
  resumed = (await service.send<{ job_id: string }>('POST', `/api/training/${stopped}/resume`)).body.job_id
  await service.ended(resumed)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

/** The events of a type that the trainer of the stopped job wrote. */
const written = async <Type extends JobMessage['type']>(type: Type) => {
  const { run_dir } = await service.status(stopped)
  return readFileSync(join(run_dir, 'events.1.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JobMessage)
    .filter((event): event is Extract<JobMessage, { type: Type }> => event.type === type)
}

const curve = async (query: string) =>
  (await service.send<MetricSeries>('GET', `/api/training/${resumed}/metrics?${query}`)).body

test('a resumed job is returned with the jobs that it continues, on request', async () => {
  const alone = await curve('')
  expect(alone.epochs[0]?.epoch).toBeGreaterThan(1)
  expect(alone.continued).toEqual([])
  const line = await curve('lineage=true')
  expect(line.epochs.map(({ epoch, step }) => [epoch, step])).toEqual(
    [1, 2, 3, 4, 5, 6].map((epoch) => [epoch, 10 * epoch]),
  )
  expect(line.batches.step).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  const epoch = (alone.epochs[0]?.epoch ?? 0) - 1
  expect(line.continued).toEqual([{ job_id: resumed, resumed_from: stopped, epoch, step: 10 * epoch }])
})

test('a window and names limit the response', async () => {
  const { batches, epochs } = await curve('lineage=true&from=11&to=20&series=loss,val_loss&buckets=5')
  expect(batches.ranges.map(({ first, last }) => [first.batch, last.batch])).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
    [9, 10],
  ])
  expect(Object.keys(batches.series)).toEqual(['loss'])
  const { min, max, mean, last } = batches.series.loss ?? { min: [], max: [], mean: [], last: [] }
  const losses = (await written('progress'))
    .filter(({ epoch }) => epoch === 2)
    .map(({ metrics }) => Number(metrics.loss))
  const [one = Number.NaN, two = Number.NaN] = losses
  expect(one).not.toBe(two)
  expect([min[0], max[0], last[0]]).toEqual([Math.min(one, two), Math.max(one, two), two])
  expect(mean[0]).toBeCloseTo((one + two) / 2, 9)
  const second = (await written('epoch_end')).find(({ epoch }) => epoch === 2)
  expect(epochs).toEqual([
    {
      epoch: 2,
      step: 20,
      seconds: second?.duration_seconds,
      metrics: { val_loss: second?.metrics.val_loss },
    },
  ])
})

test('one response contains several jobs, in the requested order', async () => {
  const { body } = await service.send<{ curves: MetricSeries[] }>(
    'GET',
    `/api/training/metrics?jobs=${resumed},${stopped}&series=train_loss&from=1`,
  )
  expect(body.curves.map(({ job_id }) => job_id)).toEqual([resumed, stopped])
  expect(body.curves[1]?.epochs[0]).toMatchObject({
    epoch: 1,
    metrics: { train_loss: (await written('epoch_end'))[0]?.metrics.train_loss },
  })
  const unknown = '4d0f4f1e-0000-4000-8000-000000000000'
  expect(await service.send('GET', `/api/training/metrics?jobs=${stopped},${unknown}`)).toMatchObject({
    status: 404,
    body: { code: 'JOB_NOT_FOUND', error: expect.stringContaining(unknown) },
  })
})

test.each(['jobs=', `jobs=${'a,'.repeat(21)}`, '', 'jobs=a&from=-1', 'jobs=a&buckets=0', 'jobs=a&lineage=1'])(
  'several jobs are refused for %s',
  async (query) => {
    expect(await service.send('GET', `/api/training/metrics?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    })
  },
)
