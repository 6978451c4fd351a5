/** @module-tag service */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  ErrorBody as ErrorBodySchema,
  Job,
  Model,
  Removal,
  Study,
  StudyMessage,
  StudyPlan,
  StudyReport,
  StudyResponse,
  StudyResults,
} from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { z } from 'zod'
import { PATIENCE } from '../../../../scripts/testing/patience.mjs'
import { eventually } from '../../testing/eventually.js'
import { SHORT_RUN_REPORTS, withShortReports } from '../../testing/short-reports.js'
import { StudiesService } from '../../testing/training/studies-service.js'

type ErrorBody = z.infer<typeof ErrorBodySchema>
// The first report of a test file starts a thread, which takes long on a busy machine.
vi.setConfig({ testTimeout: PATIENCE.serviceTest })

const studies = new StudiesService()
const { start, get, until, ended, post } = studies
// One service for all tests. A test that changes its table restores the old one.
beforeAll(studies.begin)
afterAll(studies.end)

const studyOf = (study: object = {}, training: object = {}) => ({
  config: studies.place.config(training),
  ...study,
})
const listed = async () =>
  (await studies.service.send<{ studies: Study[] }>('GET', '/api/studies?page_size=1000')).body.studies
const jobsOfAll = async () =>
  (await studies.service.send<{ jobs: Job[] }>('GET', '/api/training?page_size=1000')).body.jobs
const two = [{ name: 'concatenate' }, { name: 'gated', config: { model: { fusion_type: 'gated' } } }]

describe('a study with its report', () => {
  withShortReports(SHORT_RUN_REPORTS)

  test('trains every variant with every seed on every fold, each as a separate job', async () => {
    const id = await start(studyOf({ name: 'small', seeds: 2, folds: { k: 2 }, variants: two }))
    const study = await ended(id)
    expect(study).toMatchObject({
      status: 'completed',
      progress: { total: 8, completed: 8, failed: 0, running: 0, queued: 0, fraction: 1 },
      metric: 'auc',
      reference: 'concatenate',
      message: 'All 8 trainings completed.',
    })
    expect(study.jobs.map(({ variant, seed, repeat, fold }) => [seed, repeat, fold, variant])).toHaveLength(8)
    expect(new Set(study.jobs.map(({ job_id }) => job_id)).size).toBe(8)
    const job = await studies.service.status(String(study.jobs[3]?.job_id))
    expect(job).toMatchObject({
      job_name: 'small/gated/0.1/0',
      study_id: id,
      status: 'completed',
      config: { data: { fold: { k: 2, index: 1, repeat: 0, seed: 0 } }, model: { fusion_type: 'gated' } },
    })
    expect(study.variants.map(({ name, num_completed, metrics }) => [name, num_completed, metrics])).toEqual(
      two.map(({ name }) => [name, 4, { auc: { mean: 0.7, sd: 0.1, estimate: 0.75, low: 0.6, high: 0.9 } }]),
    )
    const folder = join(studies.place.dataDir, 'studies', id)
    for (const file of ['study.yaml', 'results.json', 'reports/report.html', 'reports/report.md'])
      expect(existsSync(join(folder, file)), file).toBe(true)
    expect(study).toMatchObject({
      results_path: join(folder, 'results.json'),
      report_path: join(folder, 'reports/report.html'),
    })
    const results = await studies.service.send<StudyResults>('GET', `/api/studies/${id}/results`)
    expect(results.body).toEqual(JSON.parse(readFileSync(String(study.results_path), 'utf8')))
    const { body } = await post<StudyReport>(id, 'report', { formats: ['word'] })
    expect(body.files).toEqual([{ format: 'word', path: join(folder, 'reports/report.docx') }])
    expect(readFileSync(join(folder, 'reports/report.docx'), 'latin1')).toMatch(/^PK/)
    const report = await fetch(`${studies.service.url}/api/studies/${id}/report/html`)
    expect(await report.text()).toBe(readFileSync(String(study.report_path), 'utf8'))
    expect(report.headers.get('content-security-policy')).toMatch(/^sandbox;/)
  })
})

describe('a study', () => {
  withShortReports()

  test('has at most the requested number of parallel trainings', async () => {
    const id = await start(studyOf({ seeds: 3, parallel: 1 }))
    let most = 0
    await until(id, ({ status, progress }) => {
      most = Math.max(most, progress.running + progress.queued)
      return status !== 'running'
    })
    expect(most).toBe(1)
  })

  test('lists its trainings in advance, and starts nothing', async () => {
    // Compared by id: the report of an earlier study may be written meanwhile.
    const stored = async () => (await listed()).map(({ study_id }) => study_id)
    const before = await stored()
    const { body } = await studies.service.send<StudyPlan>('POST', '/api/studies/check', {
      ...studyOf({ folds: { column: 'site' }, seeds: [3] }),
    })
    expect(body).toMatchObject({
      num_trainings: 2,
      num_networks: 2,
      metric: 'auc',
      reference: 'base',
      parallel: 1,
    })
    expect(body.trainings).toEqual([
      { variant: 'base', seed: 3, repeat: null, fold: 'north', trial: null },
      { variant: 'base', seed: 3, repeat: null, fold: 'south', trial: null },
    ])
    expect(await stored()).toEqual(before)
  })

  test('shows the number of networks in advance', async () => {
    const { body } = await studies.service.send<StudyPlan>('POST', '/api/studies/check', {
      ...studyOf({ seeds: 2, folds: { k: 2 }, baselines: ['image_only', 'table_only'] }),
      variants: [...two, { name: 'table', config: { model: { vision_backbone: 'none', members: 3 } } }],
    })
    // For each of two folds and two seeds: two networks that read the image, two ablations in addition to the first, and three that read a
    // table.
    expect([body.num_trainings, body.num_networks]).toEqual([12, 4 * (2 + 2 + 3)])
  })

  test('continues when its service is closed and opened again', async () => {
    const id = await start(studyOf({ seeds: 3 }, { epochs: 6 }))
    for (let round = 0; round < 2; round++) {
      // During the first and second training.
      await until(id, ({ jobs }) => ['running', 'completed'].includes(String(jobs[round]?.status)))
      await studies.service.close()
      await studies.open()
    }
    const study = await ended(id)
    expect(study.progress).toMatchObject({ total: 3, completed: 3 })
    expect(study.jobs.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1])
    expect((await jobsOfAll()).filter(({ study_id }) => study_id === id)).toHaveLength(3)
  })

  test('is stopped with its trainings, and resumed from their checkpoints', async () => {
    const id = await start(studyOf({ seeds: 3 }, { epochs: 80 }))
    await until(id, ({ jobs }) => jobs[0]?.status === 'running')
    await studies.service.until(String((await get(id)).jobs[0]?.job_id), ({ epoch }) => epoch >= 2)
    expect((await post(id, 'stop')).body).toMatchObject({ status: 'stopped' })
    const stopped = await get(id)
    expect(stopped).toMatchObject({
      status: 'stopped',
      message: 'Stopped: 0 of 3 trainings completed.',
      message_phrases: [{ code: 'study_stopped' }],
      progress: { running: 0, queued: 0 },
    })
    expect((await post(id, 'stop')).body.code).toBe('STUDY_NOT_RUNNING')
    expect((await post(id, 'resume')).status).toBe(200)
    expect((await post(id, 'resume')).body.code).toBe('STUDY_RUNNING')
    const study = await ended(id)
    expect(study.status).toBe('completed')
    expect(study.jobs[0]?.attempts.map(({ status }) => status)).toEqual(['stopped', 'completed'])
    expect(await studies.service.status(String(study.jobs[0]?.job_id))).toMatchObject({
      resumed_from: study.jobs[0]?.attempts[0]?.job_id,
      study_id: id,
    })
    expect((await post(id, 'resume')).body.code).toBe('STUDY_NOT_RESUMABLE')
  })

  test('with a failed training trains the others, reports it, and is completed by resume', async () => {
    // The name of a job controls the small trainer: the variant "x fail=1" fails in its first epoch.
    const variants = [{ name: 'good' }, { name: 'x fail=1 /', config: { model: { fusion_type: 'gated' } } }]
    const id = await start(studyOf({ variants }))
    const failed = await ended(id)
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'STUDY_INCOMPLETE' },
      progress: { completed: 1, failed: 1 },
    })
    const { code, message } = failed.jobs[1]?.error ?? {}
    expect([code, message]).toEqual(['LOSS_NOT_FINITE', expect.stringMatching(/^the loss is not finite/)])
    expect(failed.message).toBe(`1 of 2 trainings failed; first error: ${message} [${code}]`)
    expect((await post(id, 'resume')).status).toBe(200)
    const again = await ended(id)
    expect(again.jobs.map(({ attempts }) => attempts.length)).toEqual([1, 2])
  })

  test('continues a training automatically whose trainer was lost', async () => {
    const id = await start(studyOf({ name: 'study die=2 ' }, { epochs: 3 }))
    const study = await until(id, ({ jobs }) => (jobs[0]?.attempts.length ?? 0) > 1)
    expect(study.jobs[0]?.attempts[0]?.status).toBe('failed')
    await post(id, 'stop')
  })

  test('counts a manually stopped training as incomplete', async () => {
    const id = await start(studyOf({ seeds: 2 }, { epochs: 80 }))
    const running = await until(id, ({ jobs }) => jobs[0]?.status === 'running')
    await studies.service.stop(String(running.jobs[0]?.job_id))
    const study = await ended(id)
    expect(study).toMatchObject({ status: 'failed', progress: { completed: 1, failed: 1 } })
    expect(study.message).toBe('1 of 2 trainings stopped')
  })

  test('fails when a table changes meanwhile, and names it; started trainings are kept', async () => {
    const id = await start(studyOf({ seeds: 3, parallel: 1 }, { epochs: 40 }))
    await until(id, ({ jobs }) => jobs[0]?.status === 'running')
    // By then the study has verified that this job reads the right tables, even on a busy machine.
    await studies.service.until(String((await get(id)).jobs[0]?.job_id), ({ epoch }) => epoch >= 15)
    const table = join(studies.place.root, 'train.csv')
    const before = readFileSync(table)
    appendFileSync(table, 'changed\n')
    const study = await ended(id)
    expect(study).toMatchObject({
      status: 'failed',
      error: { code: 'STUDY_DATA_CHANGED' },
      progress: { completed: 1 },
    })
    expect(study.message).toContain(`config.data.train_csv: ${table} has changed since the study started`)
    const refused = await post(id, 'resume')
    expect([refused.status, refused.body.code]).toEqual([400, 'STUDY_DATA_CHANGED'])
    writeFileSync(table, before)
    expect((await post(id, 'resume')).status).toBe(200)
    expect((await ended(id)).status).toBe('completed')
  })

  test('is refused if it cannot be trained, and changes nothing', async () => {
    const table = join(studies.place.root, 'train.csv')
    const before = [readFileSync(table, 'utf8'), await listed(), await jobsOfAll()] as const
    const variant = (config: object) => ({ variants: [{ name: 'a', config }] })
    const refused: [object, string, string][] = [
      [{ folds: { column: 'site', values: ['east'] } }, 'INVALID_REQUEST', 'folds.values.0'],
      [{ metric: 'rmse' }, 'INVALID_REQUEST', 'metric'],
      [variant({ model: { dropout: 7 } }), 'INVALID_REQUEST', 'variants.0.config.model.dropout'],
      [variant({ model: { pretrained: 'no.pt' } }), 'FILE_NOT_FOUND', 'variants.0.config.model.pretrained'],
      [variant({ model: { fine_tune_from: 'none_001' } }), 'MODEL_NOT_FOUND', ''],
      [{ folds: { k: 5 } }, 'FOLDS_IMPOSSIBLE', ''],
      [{}, 'BATCH_TOO_LARGE', 'config.training.batch_size'],
      [{ folds: { k: 5 } }, 'BATCH_TOO_LARGE', 'config.training.batch_size'],
    ]
    const tables: Record<string, string> = {
      FOLDS_IMPOSSIBLE: 'impossible',
      BATCH_TOO_LARGE: 'label\n3 training cases\n',
    }
    for (const [study, code, issuePath] of refused)
      for (const path of ['/api/studies', '/api/studies/check']) {
        writeFileSync(table, tables[code] ?? 'label\n')
        const { body } = await studies.service.send<ErrorBody>('POST', path, studyOf(study))
        expect([body.code, body.issues?.[0]?.path ?? '']).toEqual([code, issuePath])
      }
    writeFileSync(table, before[0])
    expect([await listed(), await jobsOfAll()]).toEqual(before.slice(1))
  })

  test('is started once per idempotency key', async () => {
    const headers = { 'idempotency-key': 'one' }
    const send = () => studies.service.send<StudyResponse>('POST', '/api/studies', studyOf(), headers)
    const [first, second] = [await send(), await send()]
    expect(second.body.study_id).toBe(first.body.study_id)
    await ended(first.body.study_id)
  })

  test('is listed, page by page and by status', async () => {
    const ids = [await start(studyOf({ name: 'one' })), await start(studyOf({ name: 'two' }))]
    for (const id of ids) await ended(id)
    const list = async (query: string) =>
      (
        await studies.service.send<{ studies: Study[]; next_page_token: string }>(
          'GET',
          `/api/studies?${query}`,
        )
      ).body
    const first = await list('page_size=1')
    expect(first.studies.map(({ name, progress }) => [name, progress.completed])).toEqual([['two', 1]])
    const second = await list(`page_size=1&page_token=${first.next_page_token}`)
    expect(second.studies.map(({ name }) => name)).toEqual(['one'])
    expect((await list('status=running')).studies).toEqual([])
  })

  test('is removed with its jobs and their models, with a preview of the losses', async () => {
    const id = await start(studyOf({ seeds: 2 }, { epochs: 10 }))
    const remove = (query = '') =>
      studies.service.send<Removal & { code?: string }>('DELETE', `/api/studies/${id}${query}`)
    expect((await remove()).body.code).toBe('STUDY_RUNNING')
    const study = await ended(id)
    const planned = await remove('?dry_run=true')
    expect(planned.body).toMatchObject({ id, dry_run: true })
    expect(planned.body.lost.join('\n')).toContain('2 jobs with their run directories')
    expect(planned.body.folders).toHaveLength(3)
    expect((await get(id)).status).toBe('completed')
    await eventually(remove, ({ status }) => status === 200)
    expect((await studies.service.send('GET', `/api/studies/${id}`)).status).toBe(404)
    for (const { job_id } of study.jobs)
      expect((await studies.service.send('GET', `/api/training/${job_id}/status`)).status).toBe(404)
    for (const folder of planned.body.folders) expect(existsSync(folder)).toBe(false)
    const { models } = (await studies.service.send<{ models: Model[] }>('GET', '/api/models?page_size=1000'))
      .body
    const removed = study.jobs.map((job) => job.job_id)
    expect(models.filter(({ job_id }) => removed.includes(job_id))).toEqual([])
  })

  test('that does not exist is not found', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    for (const path of ['', '/stop', '/resume', '/report']) {
      const method = path === '' ? 'GET' : 'POST'
      const { status, body } = await studies.service.send<ErrorBody>(method, `/api/studies/${id}${path}`)
      expect([status, body.code]).toEqual([404, 'STUDY_NOT_FOUND'])
    }
    expect((await studies.service.send('DELETE', `/api/studies/${id}`)).status).toBe(404)
    await expect(listen(id)).rejects.toThrow('404')
  })
})

const listen = (id: string) =>
  new Promise<{ messages: StudyMessage[]; code: number }>((done, fail) => {
    const socket = new WebSocket(`${studies.service.url.replace('http', 'ws')}/ws/studies/${id}`)
    const messages: StudyMessage[] = []
    socket.on('message', (data) => messages.push(JSON.parse(String(data))))
    socket.on('error', fail)
    socket.on('close', (code) => done({ messages, code }))
  })

describe('the socket of a study', () => {
  withShortReports()

  test('sends a snapshot, every training, and the end', async () => {
    const id = await start(studyOf({ seeds: 3 }, { epochs: 4 }))
    const { messages, code } = await listen(id)
    expect(code).toBe(1000)
    expect(messages[0]).toMatchObject({ type: 'snapshot', state: { study_id: id, status: 'running' } })
    expect(messages.at(-1)).toMatchObject({ type: 'completed', status: 'completed' })
    const completed = messages.flatMap((message) =>
      message.type === 'training' && message.training.status === 'completed' ? [message.index] : [],
    )
    expect(new Set(completed)).toEqual(new Set([0, 1, 2]))
    const numbers = messages.map(({ seq }) => seq)
    expect(numbers.slice(1)).toEqual(numbers.slice(1).map((_, index) => (numbers[0] ?? 0) + index + 1))
    const again = await listen(id)
    expect(again.messages.map(({ type }) => type)).toEqual(['snapshot', 'completed'])
    expect(again.code).toBe(1000)
  })
})
