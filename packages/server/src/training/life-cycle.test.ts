/** @module-tag service */
import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isTerminal, type Job } from '@medloom/contracts'
import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRecording } from '../../../../tests/recordings/recording.js'
import { eventually } from '../../testing/eventually.js'
import { withShortReports } from '../../testing/short-reports.js'
import { TrainingDomain } from '../../testing/training/training-domain.js'
import { Place, startTrainingService } from '../../testing/training/training-service.js'

/** Metrics of a recorded training after each epoch. */
const metricsOf = (recording: string) =>
  (readRecording(recording).runs[0]?.events ?? [])
    .filter(({ type }) => type === 'epoch_end')
    .map(({ metrics }) => metrics as Record<string, number>)
const RECORDED = metricsOf('classification')

type Service = Awaited<ReturnType<typeof startTrainingService>>

// One service for all tests, which a test may restart. Each test ends the trainings that it starts: one runs at a time.
let place: Place
let service: Service
const open = async (settings: Parameters<typeof startTrainingService>[1] = {}) => {
  service = await startTrainingService(place, { stopGraceSeconds: 1, ...settings })
}
const restart = async (settings?: Parameters<typeof startTrainingService>[1]) => {
  await service.close()
  await open(settings)
}
beforeAll(async () => {
  place = new Place()
  await open()
})
afterAll(async () => {
  await service.close()
  place.remove()
})

/** True for an ordinary running process: it exists and is not a zombie. */
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
const pidOf = async (jobId: string): Promise<number> => {
  const row = await service.database
    .selectFrom('jobs')
    .select('handle')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  return JSON.parse(row.handle ?? '{}').pid
}
const messagesOf = async (jobId: string) =>
  (
    await service.send<{ events: { seq: number; type: string }[] }>(
      'GET',
      `/api/training/${jobId}/events?limit=10000`,
    )
  ).body.events
const jobs = async () =>
  (await service.send<{ jobs: Job[] }>('GET', '/api/training?page_size=1000')).body.jobs
const expectDense = (messages: { seq: number }[]) =>
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))

/** So few messages of batches that none of them is condensed before the test has read them, on a slow machine too. */
const SLOW_BATCHES = 'batches=1 delay=100'

describe('a training', () => {
  it('runs from started to completed, and its record describes the run', async () => {
    const jobId = await service.start('plain')
    const job = await service.ended(jobId)
    expect(job).toMatchObject({
      status: 'completed',
      epoch: 2,
      total_epochs: 2,
      phase: null,
      reason: 'all epochs done',
      error: null,
      queue_position: null,
      attempt: 1,
      eta_seconds: null,
      device: 'cpu',
      model_id: expect.stringMatching(/^resnet18_concatenate_\d{3}$/),
      metrics: { train_loss: RECORDED[1]?.train_loss, val_auc: RECORDED[1]?.val_auc },
      best: { epoch: 2 },
      resumable: false,
    })
    const messages = await messagesOf(jobId)
    expectDense(messages)
    expect(messages.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual([
      ...Array(2).fill(['validation', 'epoch_end']).flat(),
      'completed',
    ])
    expect(messages.at(-1)).toMatchObject({
      type: 'completed',
      status: 'completed',
      model_id: job.model_id,
      best_checkpoint: join(job.run_dir, 'checkpoints/best'),
    })
    expect(existsSync(join(job.run_dir, 'config.yaml'))).toBe(true)
    const { report_path } = await service.until(jobId, (later) => later.report_path !== null)
    expect(existsSync(report_path ?? '')).toBe(true)
    // Absolute, so that the record stays valid.
    expect(job.config.data.train_csv).toBe(join(place.root, 'train.csv'))
  })
})

describe('a training whose report is not read', () => {
  withShortReports()

  it('reports a failure of the trainer with its code', async () => {
    const job = await service.ended(await service.start('fail=2'))
    expect(job).toMatchObject({
      status: 'failed',
      error: { code: 'LOSS_NOT_FINITE' },
      resumable: true,
      epoch: 2,
    })
    expect((await messagesOf(job.job_id)).at(-1)).toMatchObject({ type: 'error', code: 'LOSS_NOT_FINITE' })
  })

  it('skips invalid event lines', async () => {
    const jobId = await service.start('damaged')
    expect((await service.ended(jobId)).status).toBe('completed')
    expectDense(await messagesOf(jobId))
  })

  it('returns series: one point per epoch, batches in buckets', async () => {
    // A training that was stopped later has reported several losses.
    const jobId = await service.start('recording=stopped batches=10')
    const [first, second] = metricsOf('stopped')
    await service.ended(jobId)
    const { body } = await service.send('GET', `/api/training/${jobId}/metrics?buckets=4`)
    const { epochs, batches } = body as {
      epochs: { epoch: number; metrics: object }[]
      batches: Record<string, number[]>
    }
    expect(epochs).toMatchObject([
      { epoch: 1, metrics: { train_loss: first?.train_loss, val_loss: first?.val_loss } },
      { epoch: 2, metrics: { train_loss: second?.train_loss } },
    ])
    expect(batches.step?.length).toBeLessThanOrEqual(4)
    expect(batches.step?.at(-1)).toBe(20)
    expect(batches.loss_min?.[0]).toBeLessThan(batches.loss_max?.[0] ?? 0)
  })

  it('is refused with every invalid path at once, and nothing is stored', async () => {
    writeFileSync(join(place.path, 'outside.csv'), 'label\n')
    // Compared by id: the report of an earlier job may be written meanwhile.
    const stored = async () => (await jobs()).map(({ job_id }) => job_id)
    const before = await stored()
    const config = place.config()
    const data = { ...config.data, val_csv: 'missing.csv', test_csv: join(place.path, 'outside.csv') }
    const { status, body } = await service.send('POST', '/api/training/start', {
      config: { ...config, data },
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'INVALID_CONFIG',
      issues: [
        { path: 'config.data.val_csv', code: 'FILE_NOT_FOUND' },
        { path: 'config.data.test_csv', code: 'PATH_NOT_ALLOWED' },
      ],
    })
    expect(await stored()).toEqual(before)
  })

  it('is accepted once per Idempotency-Key', async () => {
    const request = { config: place.config(), job_name: 'once' }
    const send = () =>
      service.send<{ job_id: string }>('POST', '/api/training/start', request, { 'idempotency-key': 'k' })
    const answers = [await send(), await send()]
    expect(answers[0]?.body).toEqual(answers[1]?.body)
    expect((await jobs()).filter(({ job_name }) => job_name === 'once')).toHaveLength(1)
    await service.ended(answers[0]?.body.job_id ?? '')
  })
})

describe('the queue', () => {
  withShortReports()

  it('is first in, first out, one job at a time on the CPU', async () => {
    const long = place.config({ epochs: 1000 })
    const first = await service.start('first', long)
    const second = await service.start('second', long)
    const third = await service.start('third', long)
    await service.until(first, (job) => job.epoch > 0)
    expect(await service.status(second)).toMatchObject({
      status: 'started',
      phase: 'queued',
      queue_position: 1,
    })
    expect(await service.status(third)).toMatchObject({ status: 'started', queue_position: 2 })
    await service.stop(first)
    await service.until(second, (job) => job.status === 'running')
    expect(await service.status(third)).toMatchObject({ status: 'started', queue_position: 1 })
    await service.stop(third)
    await service.stop(second)
  })

  it('lets a waiting job be stopped at once: it never runs and has its one terminal message', async () => {
    const first = await service.start('first', place.config({ epochs: 1000 }))
    const waiting = await service.start('waiting')
    const { body } = await service.stop(waiting)
    expect(body).toMatchObject({ job_id: waiting, status: 'stopped' })
    expect(await messagesOf(waiting)).toMatchObject([
      { type: 'completed', status: 'stopped', seq: 1, model_id: null },
    ])
    await service.stop(first)
    // A job that was queued behind it has ended.
    await service.ended(await service.start('plain'))
    expect(existsSync((await service.status(waiting)).run_dir)).toBe(false)
    expect(await service.status(waiting)).toMatchObject({ status: 'stopped', attempt: 0, resumable: false })
  })

  it('refuses a job beyond its limit', async () => {
    // A separate service without jobs of other tests: the number of waiting jobs depends on whether one starts.
    const place = new Place()
    const service = await startTrainingService(place, { maxQueued: 1 })
    const running = await service.start('long', place.config({ epochs: 1000 }))
    await service.until(running, (job) => job.epoch > 0)
    const waiting = await service.start('waiting')
    const { status, body } = await service.send('POST', '/api/training/start', { config: place.config() })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'QUEUE_FULL' })
    await service.stop(waiting)
    await service.stop(running)
    await service.close()
    place.remove()
  })

  it('has the configured maximum size', async () => {
    const domain = new TrainingDomain({ maxQueued: 2 })
    await domain.open()
    const running = await domain.accept()
    await domain.submitted(running)
    await domain.until(running, ({ status }) => status === 'running')
    for (let count = 0; count < 2; count++) await domain.accept()
    await expect(domain.accept()).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: 'the limit of 2 queued jobs is reached',
    })
    await domain.remove()
  })

  it('keeps room for others when one of several users fills their half of it', async () => {
    const domain = new TrainingDomain({ maxQueued: 4 })
    await domain.open()
    const running = await domain.accept()
    await domain.submitted(running)
    await domain.until(running, ({ status }) => status === 'running')
    const addUser = (user_name: string) =>
      domain.database.insertInto('users').values({ user_name, created_at: '' }).execute()
    await addUser('ann')
    for (let count = 0; count < 2; count++) await domain.accept({}, 'ann')
    await addUser('bob')
    await expect(domain.accept({}, 'ann')).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message:
        'ann has reached the limit of 2 queued jobs; with several users, each user without a quota can have 2 of 4',
    })
    await domain.accept({}, 'bob')
    await domain.remove()
  })
})

describe('stop', () => {
  withShortReports()

  it('responds once the checkpoint is saved, and registers the model', async () => {
    const jobId = await service.start('stop', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.epoch > 2)
    const { status, body } = await service.stop(jobId)
    expect(status).toBe(200)
    expect(body).toMatchObject({ job_id: jobId, status: 'stopped' })
    const job = await service.status(jobId)
    expect(job).toMatchObject({ status: 'stopped', reason: 'stopped on request', resumable: true })
    expect(job.model_id).toMatch(/^resnet18_concatenate_\d{3}$/)
    expect(existsSync(join(job.run_dir, 'checkpoints/last/checkpoint.json'))).toBe(true)
    expect((await service.stop(jobId)).body).toMatchObject({ code: 'JOB_NOT_RUNNING' })
  })

  it('requested twice gives the same response twice', async () => {
    const jobId = await service.start('delay=100', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.status === 'running')
    const [first, second] = await Promise.all([service.stop(jobId), service.stop(jobId)])
    expect(first).toEqual(second)
    expect(first).toMatchObject({ status: 200, body: { status: 'stopped' } })
  })

  it.each([
    ['a trainer that hears SIGTERM only', 'deaf', 'stopped on request'],
    ['a trainer that hears nothing', 'immortal', 'stopped: killed, because it had not ended within 1 s'],
  ])('is enforced after the grace period on %s', async (_, name, reason) => {
    const jobId = await service.start(name, place.config({ epochs: 100_000 }))
    await service.until(jobId, (job) => job.epoch > 1)
    const pid = await pidOf(jobId)
    expect((await service.stop(jobId)).body).toMatchObject({ status: 'stopped' })
    expect(await service.status(jobId)).toMatchObject({ status: 'stopped', reason, resumable: true })
    expect((await messagesOf(jobId)).filter(({ type }) => type === 'completed')).toHaveLength(1)
    if (name === 'immortal') expect(isAlive(pid)).toBe(false)
  })

  it('frees the slot of a trainer that does not exit after its end', async () => {
    const jobId = await service.start('linger')
    const next = await service.start('next')
    expect((await service.ended(jobId)).status).toBe('completed')
    expect((await service.ended(next)).status).toBe('completed')
  })

  it('finish ends after the epoch as completed; a stop after finish takes precedence', async () => {
    const long = place.config({ epochs: 1000 })
    const finished = await service.start('finish', long)
    expect((await service.send('POST', `/api/training/${finished}/finish`)).body).toMatchObject({
      code: 'JOB_NOT_RUNNING',
    })
    await service.until(finished, (job) => job.epoch > 0)
    expect((await service.send('POST', `/api/training/${finished}/finish`)).body).toMatchObject({
      status: 'running',
    })
    expect(await service.ended(finished)).toMatchObject({
      status: 'completed',
      reason: 'finished on request',
    })
    // An epoch of minutes: the stop arrives before the trainer could finish one.
    const stopped = await service.start('batches=10000 delay=20', long)
    await service.until(stopped, (job) => job.status === 'running')
    await service.send('POST', `/api/training/${stopped}/finish`)
    expect((await service.stop(stopped)).body).toMatchObject({ status: 'stopped' })
  })
})

describe('resume', () => {
  withShortReports()

  it('continues from the named checkpoint, and refuses one without training state', async () => {
    const old = await service.start('resume', place.config({ epochs: 500 }))
    await service.until(old, ({ epoch }) => epoch >= 2)
    await service.stop(old)
    const resume = (body: object) =>
      service.send<{ job_id: string; code?: string; message: string }>(
        'POST',
        `/api/training/${old}/resume`,
        body,
      )
    const folder = join(place.dataDir, 'runs', old, 'checkpoints')
    const manifest = JSON.parse(readFileSync(join(folder, 'best', 'checkpoint.json'), 'utf8'))
    const { optimizer: _, ...files } = manifest.files
    cpSync(join(folder, 'best'), join(folder, 'weights'), { recursive: true })
    writeFileSync(join(folder, 'weights', 'checkpoint.json'), JSON.stringify({ ...manifest, files }))
    expect(await resume({ checkpoint: 'weights' })).toMatchObject({
      status: 400,
      body: { code: 'CHECKPOINT_NOT_RESUMABLE' },
    })
    expect(await resume({ checkpoint: 'epoch-0009' })).toMatchObject({
      body: { code: 'CHECKPOINT_NOT_FOUND' },
    })
    expect(await resume({ checkpoint: '../best' })).toMatchObject({ body: { code: 'INVALID_REQUEST' } })
    const { body } = await resume({ checkpoint: 'best' })
    expect(body.message).toContain(`checkpoint best, epoch ${manifest.epoch}`)
    await service.until(body.job_id, ({ status }) => status === 'running')
    const spec = JSON.parse(readFileSync(join(place.dataDir, 'runs', body.job_id, 'spec.json'), 'utf8'))
    expect(spec.resume_from).toBe(join(folder, 'best'))
    expect(await service.status(body.job_id)).toMatchObject({ resumed_from: old, resumed_checkpoint: 'best' })
    await service.stop(body.job_id)
  })

  it('creates a new job that continues from the last checkpoint', async () => {
    const old = await service.start('resume', place.config({ epochs: 500 }))
    await service.until(old, (job) => job.epoch > 3)
    await service.stop(old)
    const { epoch } = await service.status(old)
    const { body } = await service.send<{ job_id: string }>('POST', `/api/training/${old}/resume`)
    const fresh = await service.until(body.job_id, (job) => job.epoch > epoch)
    expect(fresh).toMatchObject({ resumed_from: old, status: 'running' })
    expect(fresh.job_id).not.toBe(old)
    await service.stop(fresh.job_id)
    expect((await messagesOf(fresh.job_id)).find(({ type }) => type === 'progress')).toMatchObject({
      epoch: epoch + 1,
    })
  })

  it('from a damaged checkpoint is refused, and changes nothing', async () => {
    const old = await service.start('damaged', place.config({ epochs: 500 }))
    await service.until(old, (job) => job.epoch > 1)
    await service.stop(old)
    const { checkpoints } = (
      await service.send<{ checkpoints: { name: string; path: string }[] }>(
        'GET',
        `/api/training/${old}/checkpoints`,
      )
    ).body
    const states = async () => (await jobs()).map(({ job_id, status }) => [job_id, status])
    const before = await states()
    for (const name of ['best', 'last']) {
      const folder = checkpoints.find((found) => found.name === name)?.path ?? ''
      const manifest = JSON.parse(readFileSync(join(folder, 'checkpoint.json'), 'utf8'))
      const file = join(folder, manifest.files.model.file)
      const weights = readFileSync(file)
      weights[weights.length - 1] = (weights.at(-1) ?? 0) ^ 1
      writeFileSync(file, weights)
      expect(await service.send('POST', `/api/training/${old}/resume`)).toMatchObject({
        status: 400,
        body: {
          code: 'CHECKPOINT_CORRUPT',
          error: expect.stringContaining(`model of checkpoint ${name}`),
          details: expect.stringContaining('another checkpoint'),
        },
      })
      weights[weights.length - 1] = (weights.at(-1) ?? 0) ^ 1
      writeFileSync(file, weights)
    }
    expect(await states()).toEqual(before)
  })

  it.each([
    ['completed', 'plain', 'completed'],
    ['failed without a checkpoint', 'fail=1', 'failed'],
  ])('is refused for a job that is %s', async (_, name, status) => {
    const jobId = await service.start(name)
    expect(await service.ended(jobId)).toMatchObject({ status, resumable: false })
    expect((await service.send('POST', `/api/training/${jobId}/resume`)).body).toMatchObject({
      code: 'JOB_NOT_RESUMABLE',
    })
  })
})

describe('a process that is gone', () => {
  withShortReports()

  it('leaves a failed, resumable job when it was killed', async () => {
    const jobId = await service.start('victim', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.epoch > 1)
    process.kill(await pidOf(jobId), 'SIGKILL')
    const job = await service.ended(jobId)
    expect(job).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' }, resumable: true })
    expect((await messagesOf(jobId)).at(-1)).toMatchObject({ type: 'error', code: 'WORKER_LOST' })
  })

  it('is completed from its result when the last line is missing', async () => {
    const job = await service.ended(await service.start('mute'))
    expect(job).toMatchObject({ status: 'completed', reason: 'all epochs done' })
    expectDense(await messagesOf(job.job_id))
  })

  it('does not count an incomplete last line', async () => {
    const job = await service.ended(await service.start('torn'))
    expect(job).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' }, attempt: 1 })
    expect((await messagesOf(job.job_id)).map(({ type }) => type)).toEqual(['progress', 'error'])
  })

  it('is restarted once, but not endlessly, when it never accepted its order', async () => {
    const job = await service.ended(await service.start('die=accept'))
    expect(job).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' }, attempt: 2 })
    expect(job.reason).toContain('exit code 3')
  })

  it('without an interpreter no job fails: jobs wait, health shows the reason, and they continue once there is one', async () => {
    const python = join(place.path, 'no-python')
    await restart({ python })
    const started = [await service.start('first'), await service.start('second')]
    const waiting = await service.until(started[0] ?? '', ({ reason }) => reason !== null)
    expect(waiting).toMatchObject({ status: 'started', error: null, attempt: 0 })
    expect(waiting.reason).toMatch(
      /^waiting: the trainer could not be started.*Run "medloom doctor".*Next attempt at/,
    )
    const { body } = await service.send('GET', '/api/system/health')
    expect(body).toMatchObject({ status: 'healthy', queue: { code: 'PYTHON_UNAVAILABLE' } })
    expect((await service.send('GET', '/api/system/ready')).body).toMatchObject({
      status: 'not_ready',
      checks: { queue: { ok: false, message: expect.stringContaining('paused: ') } },
    })
    symlinkSync(join(import.meta.dirname, '../../testing/training/trainer.mjs'), python)
    for (const jobId of started) expect(await service.ended(jobId)).toMatchObject({ status: 'completed' })
    expect((await service.send('GET', '/api/system/health')).body).toMatchObject({ queue: null })
    await restart()
  })
})

describe('a process that does not report', () => {
  withShortReports()

  it('is shown as suspended during SIGSTOP, and as running after SIGCONT', async () => {
    const jobId = await service.start('held', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.epoch > 0)
    const pid = await pidOf(jobId)
    const { messages } = service.follow(jobId)
    process.kill(pid, 'SIGSTOP')
    try {
      const { stalled } = await service.until(jobId, (job) => job.stalled !== null)
      expect(stalled?.remedy).toContain('kill -CONT')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await service.until(jobId, (job) => job.stalled === null)
    await service.stop(jobId)
    const stalls = messages.flatMap((message) => (message.type === 'stalled' ? [message.stalled] : []))
    expect(stalls).toEqual([expect.objectContaining({ doing: expect.any(String) }), null])
  })

  it('ends with the path after its run directory was removed, and so does its process', async () => {
    const jobId = await service.start('robbed delay=50', place.config({ epochs: 1000 }))
    const { run_dir } = await service.until(jobId, (job) => job.epoch > 0)
    const pid = await pidOf(jobId)
    // Its trainer is still writing there: a folder that is renamed first disappears at once.
    renameSync(run_dir, `${run_dir}.gone`)
    rmSync(`${run_dir}.gone`, { recursive: true })
    const job = await service.ended(jobId)
    expect(job.error?.code).toBe('RUN_DIRECTORY_MISSING')
    expect(job.reason).toContain(run_dir)
    expect(isAlive(pid)).toBe(false)
  })
})

describe('a restart of the service', () => {
  withShortReports()

  it('adopts the running training and loses no event', async () => {
    const jobId = await service.start(SLOW_BATCHES, place.config({ epochs: 100_000 }))
    await service.until(jobId, (job) => job.epoch > 1)
    const pid = await pidOf(jobId)
    const events = join((await service.status(jobId)).run_dir, 'events.1.jsonl')
    await service.close()
    expect(isAlive(pid)).toBe(true)
    const { size } = statSync(events)
    await eventually(() => statSync(events).size > size)
    await open()
    await service.send('POST', `/api/training/${jobId}/finish`)
    const job = await service.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', attempt: 1 })
    const lines = readFileSync(join(job.run_dir, 'events.1.jsonl'), 'utf8').trimEnd().split('\n')
    const types = lines
      .map((line) => JSON.parse(line).type)
      .filter((type) => !['phase', 'prepared', 'checkpoint'].includes(type))
    const messages = await messagesOf(jobId)
    expectDense(messages)
    expect(messages.map(({ type }) => type)).toEqual(types)
  })

  it('adopts a training that was started by a version without launcher handles', async () => {
    const jobId = await service.start(SLOW_BATCHES, place.config({ epochs: 100_000 }))
    await service.until(jobId, (job) => job.epoch > 1)
    const pid = await pidOf(jobId)
    await service.close()
    const older = new Libsql(join(place.dataDir, 'medloom.db'))
    older.exec('ALTER TABLE jobs RENAME COLUMN handle TO process')
    older.exec("UPDATE jobs SET process = json_remove(process, '$.launcher', '$.host')")
    older.exec("DELETE FROM migrations WHERE name = '0003-trainer-handles'")
    expect(
      JSON.parse(
        (older.prepare('SELECT process FROM jobs WHERE job_id = ?').get(jobId) as { process: string })
          .process,
      ),
    ).toEqual({
      pid,
      started: expect.any(String),
      boot: expect.any(String),
      mark: expect.any(String),
    })
    older.close()
    await open()
    await service.send('POST', `/api/training/${jobId}/finish`)
    expect(await service.ended(jobId)).toMatchObject({ status: 'completed', attempt: 1 })
    expectDense(await messagesOf(jobId))
  })

  it('notices the death of an adopted process', async () => {
    const jobId = await service.start('victim', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.epoch > 1)
    await restart()
    process.kill(await pidOf(jobId), 'SIGKILL')
    expect(await service.ended(jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'WORKER_LOST' },
      resumable: true,
    })
  })

  it.each([
    ['finished meanwhile', 'plain', 'completed'],
    ['finished with only its result', 'mute', 'completed'],
    ['died meanwhile', 'die=2', 'failed'],
  ])('shows the outcome of a training that %s', async (_, name, status) => {
    const jobId = await service.start(`${name} delay=60`)
    await service.until(jobId, (job) => job.epoch > 0)
    const pid = await pidOf(jobId)
    await service.close()
    await eventually(() => !isAlive(pid))
    await open()
    expect(await service.ended(jobId)).toMatchObject({ status })
    expectDense(await messagesOf(jobId))
  })

  it('applies a stop that was requested but not yet received', async () => {
    const jobId = await service.start('deaf', place.config({ epochs: 100_000 }))
    await service.until(jobId, (job) => job.epoch > 0)
    await service.database.updateTable('jobs').set({ request: 'stop' }).where('job_id', '=', jobId).execute()
    await restart()
    expect(await service.ended(jobId)).toMatchObject({ status: 'stopped', reason: 'stopped on request' })
  })

  it('never mistakes another process with the same pid for the trainer', async () => {
    const jobId = await service.start('victim', place.config({ epochs: 1000 }))
    await service.until(jobId, (job) => job.epoch > 0)
    const pid = await pidOf(jobId)
    await service.close()
    process.kill(pid, 'SIGKILL')
    await open()
    await service.ended(jobId)
    // The process of the test has the pid that the row names, but another start time.
    const other = await service.start('other', place.config({ epochs: 1000 }))
    await service.until(other, (job) => job.epoch > 0)
    const row = await service.database
      .selectFrom('jobs')
      .select('handle')
      .where('job_id', '=', other)
      .executeTakeFirstOrThrow()
    const real = JSON.parse(row.handle ?? '{}')
    await service.close()
    process.kill(real.pid, 'SIGKILL')
    const { openDatabase } = await import('../database/database.js')
    const database = await openDatabase(join(place.dataDir, 'medloom.db'))
    await database
      .updateTable('jobs')
      .set({ handle: JSON.stringify({ ...real, pid: process.pid }) })
      .where('job_id', '=', other)
      .execute()
    await database.destroy()
    await open()
    expect(await service.ended(other)).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' } })
  })

  it('preserves the order of the queue', async () => {
    const long = place.config({ epochs: 1000 })
    const first = await service.start('first', long)
    await service.until(first, (job) => job.epoch > 0)
    const rest = [await service.start('second', long), await service.start('third', long)]
    await restart()
    for (const [index, jobId] of rest.entries())
      expect(await service.status(jobId)).toMatchObject({ status: 'started', queue_position: index + 1 })
    for (const jobId of [...rest].reverse()) await service.stop(jobId)
    await service.stop(first)
    expect(isTerminal((await service.status(first)).status)).toBe(true)
  })
})
