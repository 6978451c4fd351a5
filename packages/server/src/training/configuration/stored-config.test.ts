/** @module-tag service */
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withShortReports } from '../../../testing/short-reports.js'
import { Place, startTrainingService } from '../../../testing/training/training-service.js'

let place: Place
let service: Awaited<ReturnType<typeof startTrainingService>>
const begin = async () => {
  place = new Place()
  service = await startTrainingService(place)
}
const end = async () => {
  await service.close()
  place.remove()
}
withShortReports()
/** A training that was stopped after its first epoch. */
const stoppedJob = async () => {
  const jobId = await service.start('stored', place.config({ epochs: 500 }))
  await service.until(jobId, (job) => job.epoch > 1)
  await service.stop(jobId)
  return jobId
}

describe('a configuration that another version stored', () => {
  beforeAll(begin)
  afterAll(end)

  type Stored = Record<'data' | 'model' | 'training', Record<string, unknown>>
  const alter = async (jobId: string, change: (config: Stored) => void) => {
    const { database } = service
    const row = await database
      .selectFrom('jobs')
      .select('config')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    const config = JSON.parse(row.config) as Stored
    change(config)
    await database
      .updateTable('jobs')
      .set({ config: JSON.stringify(config) })
      .where('job_id', '=', jobId)
      .execute()
  }
  const withoutNewKeys = ({ training, model }: Stored) => {
    delete training.gradient_accumulation
    delete model.missing_view
    model.num_heads = 8
  }
  const withForgottenKeys = ({ training }: Stored) => {
    training.momentun = 0.9
    training.epochs = 0
  }
  const expectedIssues = [
    expect.objectContaining({ path: 'config.training.epochs' }),
    expect.objectContaining({ path: 'config.training.momentun', code: 'UNKNOWN_FIELD' }),
  ]

  it('is resumed with the defaults of newer keys, without keys that have no effect', async () => {
    const old = await stoppedJob()
    await alter(old, withoutNewKeys)
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${old}/resume`)
    const { config } = await service.until(body.job_id, (job) => job.status === 'running')
    expect(config.training.gradient_accumulation).toBe(1)
    expect(config.model.missing_view).toBe('mask')
    expect(config.model.num_heads).toBe(4)
    await service.stop(body.job_id)
  })

  it('is shown and resumed with the former behavior of a newer key whose default differs', async () => {
    const old = await stoppedJob()
    await alter(old, ({ data }) => {
      delete data.missing_indicator
      data.missing_strategy = 'median'
    })
    expect((await service.status(old)).config.data.missing_indicator).toBe(false)
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${old}/resume`)
    const { config, run_dir } = await service.until(body.job_id, (job) => job.status === 'running')
    expect(config.data).toMatchObject({ missing_strategy: 'median', missing_indicator: false })
    const spec = JSON.parse(readFileSync(join(run_dir, 'spec.json'), 'utf8'))
    expect(spec.config.data.missing_indicator).toBe(false)
    await service.stop(body.job_id)
  })

  it('is refused with the path of every key that is not valid any more, and nothing is started', async () => {
    const old = await stoppedJob()
    // Its report is written after its end and would change the job.
    await service.until(old, (job) => job.report_path !== null)
    await alter(old, withForgottenKeys)
    const jobs = async () => {
      const { body } = await service.send<{ jobs: { job_id: string }[] }>('GET', '/api/training')
      return body.jobs.map(({ job_id }) => job_id)
    }
    const before = [await jobs(), await service.status(old)]
    const { status, body } = await service.send<{ issues: { path: string }[] }>(
      'POST',
      `/api/training/${old}/resume`,
    )
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'INVALID_CONFIG',
      details: expect.stringContaining('start a new training'),
    })
    expect(body.issues.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(expectedIssues)
    expect([await jobs(), await service.status(old)]).toEqual(before)
  })

  it('is read again when a job has waited through an update of the service', async () => {
    const first = await service.start('first', place.config({ epochs: 1000 }))
    const [young, wrong] = [await service.start('young'), await service.start('wrong')]
    await service.until(first, (job) => job.status === 'running')
    await alter(young, withoutNewKeys)
    await alter(wrong, withForgottenKeys)
    await service.stop(first)
    expect(await service.ended(young)).toMatchObject({
      status: 'completed',
      config: { training: { gradient_accumulation: 1 } },
    })
    expect(await service.ended(wrong)).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_CONFIG', message: expect.stringContaining('config.training.momentun') },
    })
  })
})

describe('the paths of a stored configuration', () => {
  beforeAll(begin)
  afterAll(end)

  const storedConfig = async (jobId: string) => {
    const { config } = await service.database
      .selectFrom('jobs')
      .select('config')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    return JSON.parse(config)
  }

  it('consist of a root and a relative path; clients see absolute paths', async () => {
    const jobId = await stoppedJob()
    expect((await service.status(jobId)).config.data.train_csv).toBe(join(place.root, 'train.csv'))
    expect((await storedConfig(jobId)).data).toMatchObject({
      train_csv: { root: 'root', path: 'train.csv', folder: place.root },
      val_csv: null,
    })
  })

  it('of an older version are absolute, and resume as they did', async () => {
    const old = await stoppedJob()
    const config = await storedConfig(old)
    config.data.train_csv = join(place.root, 'train.csv')
    await service.database
      .updateTable('jobs')
      .set({ config: JSON.stringify(config) })
      .where('job_id', '=', old)
      .execute()
    expect((await service.status(old)).config.data.train_csv).toBe(join(place.root, 'train.csv'))
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${old}/resume`)
    await service.until(body.job_id, (job) => job.status === 'running')
    await service.stop(body.job_id)
  })
})

describe('the paths of a stored configuration whose root has moved', () => {
  beforeEach(begin)
  afterEach(end)

  it.each([
    ['under the name of its folder', 'elsewhere/root', undefined],
    ['under the name that it is given', 'patients', { root: 'root' }],
  ])('are found again: the job resumes, %s', async (_, to, named) => {
    const old = await stoppedJob()
    await service.close()
    const moved = join(place.path, to)
    mkdirSync(dirname(moved), { recursive: true })
    renameSync(place.root, moved)
    service = await startTrainingService(place, {
      roots: [moved],
      ...(named ? { rootNames: { [moved]: named.root } } : {}),
    })
    expect((await service.status(old)).config.data.train_csv).toBe(join(moved, 'train.csv'))
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${old}/resume`)
    const { run_dir } = await service.until(body.job_id, (job) => job.status === 'running')
    const spec = JSON.parse(readFileSync(join(run_dir, 'spec.json'), 'utf8'))
    expect(spec.config.data.train_csv).toBe(join(moved, 'train.csv'))
    await service.stop(body.job_id)
  })
})
