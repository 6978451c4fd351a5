/** @module-tag service */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TrainingCheck } from '@medloom/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Place, startTrainingService } from '../../../testing/training/training-service.js'
import { workerProgram } from '../../../testing/worker-program.js'

const OUTLOOK = {
  issues: [],
  data: null,
  model: { parameters: 7, trainable_parameters: 7, exact: true, notes: [], parts: [] },
  memory: null,
}
type Service = Awaited<ReturnType<typeof startTrainingService>>

/** A service whose worker answers a check with the function of answer.js; its requests are written to asked.jsonl. */
async function open(settings: object = {}): Promise<{ place: Place; service: Service }> {
  const place = new Place()
  const [requestFile, answerFile] = ['asked.jsonl', 'answer.js'].map((name) =>
    JSON.stringify(join(place.path, name)),
  )
  const python = workerProgram(
    place.path,
    `if (request.task !== 'check_training') return
    fs.appendFileSync(${requestFile}, JSON.stringify(request.params.config) + '\\n')
    const outlook = ${JSON.stringify(OUTLOOK)}
    const result = (found) => reply({ type: 'result', id: request.id, result: found })
    delete require.cache[${answerFile}]
    require(${answerFile})({ fs, request, reply, outlook, result })`,
  )
  const service = await startTrainingService(place, { python, prewarm: false, ...settings } as never)
  return { place, service }
}

// One service for all tests. Each test has a separate table, so that it receives no answer to another test.
let place: Place
let service: Service
let sound: { data: object; model: object }
let table: string
let tables = 0
beforeAll(async () => {
  ;({ place, service } = await open())
})
afterAll(async () => {
  await service.close()
  place.remove()
})
const useNewTable = () => {
  tables += 1
  table = join(place.root, `train-${tables}.csv`)
  writeFileSync(table, 'label\n')
  const data = { train_csv: `train-${tables}.csv` }
  sound = { data, model: { vision_backbone: 'resnet18', fusion_type: 'gated' } }
  rmSync(join(place.path, 'asked.jsonl'), { force: true })
}
beforeEach(useNewTable)

/** From now on the worker answers a check with `answer`. */
const serve = (answer: string) =>
  writeFileSync(
    join(place.path, 'answer.js'),
    `module.exports = ({ fs, request, reply, outlook, result }) => { ${answer} }`,
  )

/** Runs `work` with a service with other settings. */
async function withSettings(settings: object, work: () => Promise<void>): Promise<void> {
  const shared = { place, service }
  ;({ place, service } = await open(settings))
  try {
    useNewTable()
    await work()
  } finally {
    await service.close()
    place.remove()
    ;({ place, service } = shared)
  }
}

const check = async (config: object, wait_seconds = 20) =>
  (await service.send<TrainingCheck>('POST', '/api/training/check', { config, wait_seconds })).body
const training = { epochs: 2, batch_size: 4 }
const wasRequested = () => readdirSync(place.path).includes('asked.jsonl')

describe('the check of a training', () => {
  it('reports every problem at once with path, code and remedy, without using the trainer', async () => {
    serve('result(outlook)')
    const checked = await check({
      data: {
        train_csv: 'absent.csv',
        val_csv: '/etc/hostname',
        missing_strategy: 'token',
        missing_indicator: true,
      },
      model: { vision_backbone: 'resnet19', fusion_type: 'gated', hidden_dim: 10, num_heads: 4 },
      training: { epochs: 0, batch_size: 4, learning_rte: 1 },
      bogus: 1,
    })
    expect(checked).toMatchObject({ ok: false, config: null, networks: null, model: null })
    expect(checked.trainer.state).toBe('not_asked')
    const found = Object.fromEntries(checked.issues.map(({ path, code }) => [path, code]))
    expect(found).toMatchObject({
      'config.bogus': 'UNKNOWN_FIELD',
      'config.training.learning_rte': 'UNKNOWN_FIELD',
      'config.training.epochs': 'INVALID_VALUE',
      'config.model.vision_backbone': 'UNKNOWN_BACKBONE',
      'config.data.train_csv': 'FILE_NOT_FOUND',
      'config.data.val_csv': 'PATH_NOT_ALLOWED',
    })
    for (const { hint } of checked.issues) expect(hint).toMatch(/\S/)
    expect(wasRequested()).toBe(false)
  })

  it('refuses a device on several nodes if there is only one machine, like a start', async () => {
    serve('result(outlook)')
    const config = { ...sound, training: { ...training, device: 'cpu:2x2' } }
    const issue = {
      path: 'config.training.device',
      code: 'DEVICE_UNAVAILABLE',
      hint: expect.stringContaining('--launcher'),
    }
    expect((await check(config)).issues).toMatchObject([issue])
    const started = await service.send('POST', '/api/training/start', { config })
    expect(started).toMatchObject({ status: 400, body: { code: 'INVALID_CONFIG', issues: [issue] } })
    expect(wasRequested()).toBe(false)
  })

  it('checks rules between keys although another key is invalid', async () => {
    serve('result(outlook)')
    const wrong = {
      ...sound,
      model: { ...sound.model, fusion_type: 'attention', hidden_dim: 10, num_heads: 4 },
    }
    const alone = await check({ ...wrong, training })
    const both = await check({ ...wrong, training: { ...training, seed: -1 } })
    expect(alone.issues).not.toHaveLength(0)
    expect(both.issues.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['config.training.seed', ...alone.issues.map(({ path }) => path)]),
    )
  })

  it('returns the complete configuration and the answer of the trainer, which is requested once', async () => {
    serve('result(outlook)')
    const checked = await check({ ...sound, training })
    expect(checked).toMatchObject({
      ok: true,
      issues: [],
      config: {
        data: { train_csv: table, val_fraction: 0.2 },
        training: { seed: 0 },
      },
      networks: 1,
      trainer: { state: 'answered', reason: null },
      model: { parameters: 7 },
      time: { seconds: null, basis: null, jobs: [] },
    })
    expect(
      (await check({ ...sound, training: { ...training, epochs: 9, learning_rate: 0.1 } })).model,
    ).toEqual(checked.model)
    expect(questions()).toHaveLength(1)
    await check({ ...sound, training: { ...training, batch_size: 2 } })
    writeFileSync(table, 'label\nyes\n')
    await check({ ...sound, training })
    expect(questions()).toHaveLength(3)
  })

  it('waits only for the given time; the next request gets the answer found meanwhile', async () => {
    serve('setTimeout(() => result(outlook), 1500)')
    const first = await check({ ...sound, training }, 0.05)
    expect(first).toMatchObject({ ok: true, trainer: { state: 'working' }, model: null })
    expect(first.config).not.toBeNull()
    expect((await check({ ...sound, training })).trainer.state).toBe('answered')
    expect(questions()).toHaveLength(1)
  })

  it('assigns problems found by the trainer to their keys; too little memory is a warning', async () => {
    const issues = [{ code: 'BATCH_TOO_LARGE', message: 'too many', details: 'Make it smaller.' }]
    const parts = { process: 0, weights: 0, gradients: 0, optimizer: 0, activations: 9, batches: 0 }
    const memory = { device: 'cpu', bytes: 9, available_bytes: 8, parts }
    serve(`result({ ...outlook, issues: ${JSON.stringify(issues)}, memory: ${JSON.stringify(memory)} })`)
    const checked = await check({ ...sound, training })
    expect(checked.ok).toBe(false)
    expect(checked.issues).toEqual([
      expect.objectContaining({
        path: 'config.training.batch_size',
        code: 'BATCH_TOO_LARGE',
        hint: 'Make it smaller.',
      }),
      expect.objectContaining({
        path: 'config.training.batch_size',
        code: 'OUT_OF_MEMORY',
        severity: 'warning',
      }),
    ])
  })

  it('does not check the devices of this machine if a cluster trains', async () => {
    const issues = [{ code: 'DEVICE_UNAVAILABLE', message: 'no CUDA here', details: 'Use auto.' }]
    const parts = { process: 0, weights: 0, gradients: 0, optimizer: 0, activations: 9, batches: 0 }
    const memory = { device: 'cpu', bytes: 9, available_bytes: 8, parts }
    const answer = `result({ ...outlook, issues: ${JSON.stringify(issues)}, memory: ${JSON.stringify(memory)} })`
    await withSettings({ launcher: 'ray', rayAddress: 'http://127.0.0.1:9' }, async () => {
      serve(answer)
      const checked = await check({ ...sound, training: { ...training, device: 'cuda:2x2' } })
      expect([checked.ok, checked.issues]).toEqual([true, []])
    })
  })

  it('refuses several nodes without a shared folder', async () => {
    const exchange = { exchange: 'http', exchangeUrl: 'http://127.0.0.1:9' }
    const settings = { launcher: 'ray', rayAddress: 'http://127.0.0.1:9', ...exchange }
    await withSettings(settings, async () => {
      serve('result(outlook)')
      const checked = await check({ ...sound, training: { ...training, device: 'cuda:4x2' } })
      expect([checked.ok, checked.issues]).toMatchObject([
        false,
        [
          {
            path: 'config.training.device',
            code: 'DEVICE_UNAVAILABLE',
            message: expect.stringContaining('--exchange http'),
            hint: expect.stringContaining('--exchange folder'),
          },
        ],
      ])
    })
  })

  it('reports a failure of the trainer, and requests again the next time', async () => {
    serve(
      "reply({ type: 'error', id: request.id, code: 'TRAINER_FAILED', message: 'no', details: '', trace: null })",
    )
    for (const _ of [1, 2])
      expect((await check({ ...sound, training })).trainer).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('TRAINER_FAILED'),
      })
    expect(questions()).toHaveLength(2)
  })

  it('refuses an invalid request', async () => {
    serve('result(outlook)')
    for (const body of [{}, { config: [] }, { config: {}, wait_seconds: 61 }, { config: {}, more: 1 }])
      expect((await service.send('POST', '/api/training/check', body)).status).toBe(400)
  })

  it('starts nothing and stores nothing', async () => {
    serve('result(outlook)')
    const rows = async () =>
      Promise.all(
        (['jobs', 'job_events', 'idempotency', 'tasks', 'datasets'] as const).map((table) =>
          service.database.selectFrom(table).selectAll().execute(),
        ),
      )
    const before = [await rows(), readdirSync(place.root), readdirSync(join(place.dataDir, 'runs'))]
    await check({ ...sound, training })
    await check({ bogus: 1 })
    expect([await rows(), readdirSync(place.root), readdirSync(join(place.dataDir, 'runs'))]).toEqual(before)
  })
})

function questions(): string[] {
  return readFileSync(join(place.path, 'asked.jsonl'), 'utf8').trim().split('\n')
}
