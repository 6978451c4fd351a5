/** @module-tag service */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Inspection, inEnglish, type Job, type Removal } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { draw } from '../../testing/draw.js'
import { noEnsembles } from '../../testing/models.js'
import { ANYONE } from '../../testing/people.js'
import { withShortReports } from '../../testing/short-reports.js'
import { schedulerOf } from '../../testing/training/scheduler-of.js'
import { Place, startTrainingService } from '../../testing/training/training-service.js'
import { openDatabase } from '../database/database.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { ModelsService } from '../models/models.service.js'
import { createRoots } from '../security/roots.js'

let place: Place
let service: Awaited<ReturnType<typeof startTrainingService>>
withShortReports()
// One service for all tests. Each test ends the trainings that it starts.
beforeAll(async () => {
  place = new Place()
  service = await startTrainingService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const restart = async (meanwhile: () => void = () => undefined) => {
  await service.close()
  meanwhile()
  service = await startTrainingService(place)
}
const remove = (path: string, query = '') =>
  service.send<Removal & { code?: string; error?: string; details?: string }>(
    'DELETE',
    `/api/${path}${query}`,
  )
const rows = async (table: 'jobs' | 'job_events' | 'models' | 'pending_removals') =>
  (await service.database.selectFrom(table).selectAll().execute()).length
const INSPECTED: Omit<Inspection, 'path'> = {
  kind: 'tabular',
  columns: [],
  num_cases: 1,
  num_patients: null,
  task: 'classification',
  classes: [],
  missing: {},
  splits: {},
  digest: '',
  readiness: { status: 'ready', checks: [] },
}
/** A completed job whose trainer is gone. */
const completed = async (): Promise<Job> => {
  const jobId = await service.start('one')
  await service.ended(jobId)
  for (;;) {
    const { handle } = await service.database
      .selectFrom('jobs')
      .select('handle')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    const job = await service.status(jobId)
    if (handle === null && job.report_path !== null) return job
    await new Promise((resume) => setTimeout(resume, 20))
  }
}

describe('a job', () => {
  it('that has not ended is refused', async () => {
    const before = await rows('jobs')
    const jobId = await service.start('delay=50', place.config({ epochs: 500 }))
    await service.until(jobId, ({ status }) => status === 'running')
    const waiting = await service.start('waits')
    for (const id of [jobId, waiting]) {
      const { status, body } = await remove(`training/${id}`)
      expect([status, body.code, body.details]).toEqual([
        400,
        'JOB_RUNNING',
        expect.stringContaining('Stop it'),
      ])
    }
    expect(await rows('jobs')).toBe(before + 2)
    await service.stop(waiting)
    await service.stop(jobId)
  })

  it('is removed after its model, with a preview of the losses, completely', async () => {
    const tables = ['jobs', 'job_events', 'models', 'pending_removals'] as const
    const stored = () => Promise.all(tables.map(rows))
    const before = await stored()
    const job = await completed()
    const models = await rows('models')
    const refused = await remove(`training/${job.job_id}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'JOB_IN_USE'])
    expect(refused.body.error).toContain(job.model_id)

    const planned = (await remove(`models/${job.model_id}`, '?dry_run=true')).body
    expect(planned).toMatchObject({ id: job.model_id, dry_run: true, files: expect.any(Number) })
    expect(planned.files).toBeGreaterThanOrEqual(4)
    expect(planned.size_bytes).toBeGreaterThan(0)
    expect(planned.lost.join('\n')).toContain('resnet18_concatenate_latest')
    expect(planned.lost_phrases?.map((what) => inEnglish([what]))).toEqual(planned.lost)
    expect(existsSync(join(job.run_dir, 'checkpoints/best/checkpoint.json'))).toBe(true)
    expect(await rows('models')).toBe(models)

    expect((await remove('models/latest')).body).toEqual({ ...planned, dry_run: false })
    expect(existsSync(join(job.run_dir, 'checkpoints'))).toBe(false)
    expect((await service.send('GET', `/api/models/${job.model_id}`)).status).toBe(404)
    expect(await service.status(job.job_id)).toMatchObject({ model_id: null, resumable: false })
    expect(existsSync(join(job.run_dir, 'reports/report.html'))).toBe(true)

    const plan = (await remove(`training/${job.job_id}`, '?dry_run=true')).body
    expect(plan.folders).toEqual([job.run_dir])
    expect((await remove(`training/${job.job_id}`)).body).toEqual({ ...plan, dry_run: false })
    expect(existsSync(job.run_dir)).toBe(false)
    expect(await stored()).toEqual(before)
    expect((await remove(`training/${job.job_id}`)).status).toBe(404)
  })

  it('from whose checkpoint another continues is refused until that one has ended', async () => {
    const first = await service.start('delay=20', place.config({ epochs: 500 }))
    await service.until(first, ({ epoch }) => epoch > 1)
    await service.stop(first)
    const { model_id } = await service.status(first)
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${first}/resume`)
    const refused = await remove(model_id ? `models/${model_id}` : `training/${first}`)
    expect(refused.status).toBe(400)
    expect(refused.body.error).toContain(body.job_id)
    await service.stop(body.job_id)
  })
})

it('folders that a killed service did not delete are removed at the next start, and nothing outside the data folder', async () => {
  const [leftover, outside] = [join(place.dataDir, 'runs', 'left'), join(place.path, 'outside')]
  for (const folder of [leftover, outside]) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), 'content')
  }
  const paths = [{ path: 'runs/left' }, { path: 'runs/gone' }, { path: '../outside' }]
  await service.database.insertInto('pending_removals').values(paths).execute()
  await restart()
  expect(existsSync(leftover)).toBe(false)
  expect(readdirSync(outside)).toEqual(['file'])
  expect(await rows('pending_removals')).toBe(1)
  await service.database.deleteFrom('pending_removals').execute()
})

it('a model that is being evaluated is refused, and can be removed afterwards', async () => {
  const { model_id } = await completed()
  let end = () => {}
  const job = new Promise<never>((_, fail) => {
    end = () => fail(new Error('the evaluation ends'))
  })
  job.catch(() => undefined)
  const database = await openDatabase(join(place.dataDir, 'medloom.db'))
  const models = new ModelsService(
    {
      database,
      folder: {
        path: place.dataDir,
        run: () => ({ checkpoint: () => '', checkpoints: join(place.dataDir, 'none') }),
      },
      log: { warn: () => undefined },
      roots: createRoots([place.root], place.dataDir),
    } as never,
    { job: () => job, slots: schedulerOf(), ...noEnsembles },
    { prepare: () => undefined },
  )
  const evaluation = models.evaluate(
    model_id ?? '',
    { split: 'test', calibrated: false, with_images: false, with_saliency: false },
    { signal: new AbortController().signal },
  )
  evaluation.catch(() => undefined)
  await expect.poll(() => models.remove('latest', true).catch(({ code }) => code)).toBe('MODEL_IN_USE')
  end()
  await expect(evaluation).rejects.toThrow('ends')
  await database.destroy()
})

it('a dataset that a saved workflow loads is refused with the name of that workflow; its files are kept', async () => {
  const table = join(place.root, 'train.csv')
  const database = await openDatabase(join(place.dataDir, 'medloom.db'))
  const { dataset_id } = await new DatasetsRepository(database).save(
    { ...INSPECTED, path: table },
    { name: 'study' },
    {
      image_root: null,
      roles: {},
      ignore_columns: [],
      positive_class_named: false,
      slices: null,
    },
    ANYONE,
  )
  await database.destroy()
  const workflow = draw({ load: ['LoadDataset', { dataset_id }] }, [], 'skin')
  const { body, status } = await service.send<{ workflow_id: string }>(
    'POST',
    '/api/workflow/create',
    workflow,
  )
  expect(status, JSON.stringify(body)).toBe(200)
  for (const query of ['', '?dry_run=true']) {
    const refused = await remove(`datasets/${dataset_id}`, query)
    expect([refused.status, refused.body.code]).toEqual([400, 'DATASET_IN_USE'])
    expect(refused.body.error).toContain('"skin"')
  }
  await service.send('DELETE', `/api/workflow/${body.workflow_id}`)
  expect((await remove(`datasets/${dataset_id}`)).body).toMatchObject({
    files: 0,
    folders: [],
    dry_run: false,
  })
  expect((await service.send('GET', `/api/datasets/${dataset_id}`)).status).toBe(404)
  expect(existsSync(table)).toBe(true)
})
