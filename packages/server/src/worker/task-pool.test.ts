/** @module-tag service */
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testPython } from '../../testing/python.js'
import { until } from '../../testing/training/until.js'
import { workerProgram } from '../../testing/worker-program.js'
import type { TaskPool } from '../ports/task-pool.js'
import { onBehalfOf } from '../security/on-behalf-of.js'
import { SERVICE_LOG } from '../storage/rotating-log.js'
import { MEDLOOM_VERSION } from '../version.js'
import { createTaskPool, type TaskPoolOptions } from './task-pool.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-pool-'))
const TRAINER = join(import.meta.dirname, '../../../../trainer/src/medloom_trainer')
const warnings: unknown[] = []
const log = { warn: (...facts: unknown[]) => void warnings.push(facts) }
const pools: TaskPool[] = []
const poolOf = (python: string, silenceSeconds = 20, options: Partial<TaskPoolOptions> = {}) => {
  const pool = createTaskPool({
    python,
    logs: folder,
    log,
    silenceSeconds: { probe: silenceSeconds },
    ...options,
  })
  pools.push(pool)
  return pool
}
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

const PROBE = { python_version: '3.11', pytorch_version: '2.13', packages: {}, cuda: [], mps: false }

const program = (answer: string) => workerProgram(folder, `const PROBE = ${JSON.stringify(PROBE)}\n${answer}`)
const answering =
  "reply({ type: 'result', id: request.id, result: { ...PROBE, packages: { pid: String(process.pid) } } })"
const NODE_ANSWER = "reply({ type: 'result', id: request.id, result: { outputs: {}, warnings: [] } })"
const isAlive = (pid: string | undefined) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
const pidOf = (result: { packages: Record<string, string> }) => result.packages.pid

test('a process stays warm: consecutive tasks use the same one', async () => {
  const pool = poolOf(program(answering))
  const first = await pool.run('probe', {})
  expect(first).toMatchObject({ python_version: '3.11' })
  expect(pidOf(await pool.run('probe', {}))).toBe(pidOf(first))
})

test('two processes that worked in parallel both stay warm for a while, then one', async () => {
  const pool = poolOf(program(`setTimeout(() => ${answering}, 100)`), 20, { warmSeconds: 1 })
  const pair = async () => (await Promise.all([pool.run('probe', {}), pool.run('probe', {})])).map(pidOf)
  const first = await pair()
  expect((await pair()).sort()).toEqual([...first].sort())
  await until(() => first.filter(isAlive).length === 1)
  expect(first).toContain(pidOf(await pool.run('probe', {})))
})

test('after enough time without work no process remains, and the next task starts one', async () => {
  const pool = poolOf(program(answering), 20, { idleSeconds: 0.1 })
  const first = pidOf(await pool.run('probe', {}))
  await until(() => !isAlive(first))
  expect(pidOf(await pool.run('probe', {}))).not.toBe(first)
})

test('at most two tasks of a kind run in parallel; the others wait in order and all are answered', async () => {
  const pool = poolOf(program(`setTimeout(() => ${answering}, 30)`))
  const results = await Promise.all(Array.from({ length: 7 }, () => pool.run('probe', {})))
  expect(new Set(results.map(pidOf)).size).toBe(2)
})

test('a crash fails only the task in progress; the next task gets a new process', async () => {
  const crashOnce = join(folder, 'crashed')
  const pool = poolOf(
    program(`if (!fs.existsSync(${JSON.stringify(crashOnce)})) { fs.writeFileSync(${JSON.stringify(crashOnce)}, ''); console.error('going down'); process.exit(3) }
      ${answering}`),
  )
  await expect(pool.run('probe', {})).rejects.toMatchObject({
    code: 'TRAINER_FAILED',
    message: expect.stringContaining('exit code 3'),
  })
  expect(await pool.run('probe', {})).toMatchObject({ pytorch_version: '2.13' })
  await expect.poll(() => readFileSync(join(folder, 'worker.log'), 'utf8')).toContain('going down')
})

test('the output of processes goes to a new file when worker.log is long', async () => {
  const logs = mkdtempSync(join(folder, 'logs-'))
  writeFileSync(join(logs, 'worker.log'), 'x'.repeat(SERVICE_LOG.bytes))
  const pool = poolOf(program(`console.error('printed now'); ${answering}`), 20, { logs })
  await pool.run('probe', {})
  await expect.poll(() => readFileSync(join(logs, 'worker.log'), 'utf8')).toBe('printed now\n')
  expect(readdirSync(logs).sort()).toEqual(['worker.log', 'worker.log.1'])
})

test('a silent task is ended with WORKER_TIMEOUT; progress counts as a sign of life', async () => {
  const silent = poolOf(program(''), 0.2)
  await expect(silent.run('probe', {})).rejects.toMatchObject({ code: 'WORKER_TIMEOUT' })
  const fractions: number[] = []
  const lively = poolOf(
    program(`let n = 0
      const timer = setInterval(() => {
        if (++n < 8) return reply({ type: 'progress', id: request.id, fraction: n / 8, message: 'reading' })
        clearInterval(timer)
        ${answering}
      }, 300)`),
    2,
  )
  await lively.run('probe', {}, { onProgress: (fraction) => fractions.push(fraction) })
  expect(fractions).toHaveLength(7)
})

test('a canceled task ends at once with its process, and no other; a waiting one stops waiting', async () => {
  const pool = poolOf(program(`if (request.params.type === 'slow') return; ${NODE_ANSWER}`))
  const node = (type: string, signal?: AbortSignal) =>
    pool.run(
      'node',
      {
        type,
        config: {},
        inputs: {},
        store: '',
        data_dir: '',
        cache_dir: '',
        roots: [],
        device: 'cpu',
      },
      signal ? { signal } : {},
    )
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const under = [node('slow', first.signal), node('slow', second.signal), node('slow', third.signal)]
  const ends = Promise.allSettled(under)
  third.abort()
  await expect(under[2]).rejects.toThrow('canceled')
  first.abort()
  await expect(under[0]).rejects.toThrow('canceled')
  expect(await node('quick')).toEqual({ outputs: {}, warnings: [] })
  second.abort()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await node('quick')).toEqual({ outputs: {}, warnings: [] })
})

const NODE = {
  config: {},
  inputs: {},
  store: '',
  data_dir: '',
  cache_dir: '',
  roots: [],
  device: 'cpu',
}
const INSPECTION = {
  path: '/data/wide.csv',
  image_root: null,
  label_column: null,
  label_columns: null,
  time_column: null,
  event_column: null,
  patient_column: null,
  positive_class: null,
  slices: null,
  roles: {},
  ignore_columns: [],
  recipe: null,
  roots: [],
}
/** Nodes of the type "stuck" never end, the others end at once. */
const STUCK_NODES = `if (request.task === 'node' && request.params.type === 'stuck') return
  if (request.task === 'node') return ${NODE_ANSWER}
  ${answering}`

test('short tasks do not wait for long ones', async () => {
  const pool = poolOf(program(STUCK_NODES))
  const long = Array.from({ length: 5 }, () => pool.run('node', { ...NODE, type: 'stuck' }))
  const ends = Promise.allSettled(long)
  expect(await pool.run('probe', {})).toMatchObject({ python_version: '3.11' })
  await pool.close()
  await ends
})

test('users take turns in using processes', async () => {
  const pool = poolOf(program(STUCK_NODES), 20, { stuckSeconds: 1000 })
  const first = new AbortController()
  const occupy = (user: string, options: { signal?: AbortSignal }) =>
    onBehalfOf(user, () => pool.run('node', { ...NODE, type: 'stuck' }, options))
  const ends = Promise.allSettled([occupy('eve', { signal: first.signal }), occupy('joe', {})])
  const ended: string[] = []
  const quick = (user: string) =>
    onBehalfOf(user, () => pool.run('node', { ...NODE, type: 'quick' })).then(() => ended.push(user))
  const waiting = ['ann', 'ann', 'ann', 'bob'].map(quick)
  // One process becomes free, and executes them one after the other.
  first.abort()
  await Promise.all(waiting)
  expect(ended).toEqual(['ann', 'bob', 'ann', 'ann'])
  await pool.close()
  await ends
})

test('a user who has all processes blocks no other user', async () => {
  const pool = poolOf(program(STUCK_NODES), 20, { stuckSeconds: 1000 })
  const run = (user: string, type: string) => onBehalfOf(user, () => pool.run('node', { ...NODE, type }))
  const ends = Promise.allSettled([run('eve', 'stuck'), run('eve', 'stuck'), run('eve', 'quick')])
  await run('ann', 'quick')
  await pool.close()
  const [, , last] = await ends
  expect(last).toMatchObject({ status: 'rejected' })
})

test('tasks continue despite stuck processes, which their deadline ends with the file', async () => {
  const reading = program(`if (request.params.type !== 'stuck') return ${NODE_ANSWER}
    reply({ type: 'progress', id: request.id, fraction: 0.5, message: 'reading images' })
    reply({ type: 'activity', id: request.id, active: false, file: 'scan.dcm' })`)
  const pool = poolOf(reading, 20, { stuckSeconds: 0.2, inactivitySeconds: 8 })
  const stuck = [1, 2].map(() => pool.run('node', { ...NODE, type: 'stuck' }))
  const ends = Promise.allSettled(stuck)
  expect(await pool.run('node', { ...NODE, type: 'quick' })).toEqual({ outputs: {}, warnings: [] })
  for (const end of await ends)
    expect(end).toMatchObject({
      reason: {
        code: 'WORKER_TIMEOUT',
        message:
          'the node task showed no activity for 8 s and was stopped (last opened file: scan.dcm; last message: reading images)',
      },
    })
  expect(await pool.run('node', { ...NODE, type: 'quick' })).toEqual({ outputs: {}, warnings: [] })
})

test('a process that reports activity is not ended, however long it reports no progress', async () => {
  const computing = program(`let n = 0
    const timer = setInterval(() => {
      if (++n < 8) return reply({ type: 'activity', id: request.id, active: true, file: null })
      clearInterval(timer)
      ${answering}
    }, 500)`)
  const pool = poolOf(computing, 20, { inactivitySeconds: 3 })
  expect(await pool.run('probe', {})).toMatchObject({ python_version: '3.11' })
})

test('an inspection that is active without end is ended, later for a large file', async () => {
  const active = program(`setInterval(() =>
    reply({ type: 'activity', id: request.id, active: true, file: 'wide.csv' }), 50)`)
  const pool = poolOf(active, 20, { deadlines: 0.01 })
  const ended = (seconds: number) => ({
    code: 'WORKER_TIMEOUT',
    message: expect.stringContaining(
      `the inspect task reached its time limit of ${seconds} s and was stopped`,
    ),
  })
  await expect(pool.run('inspect', INSPECTION)).rejects.toMatchObject(ended(1.2))
  await expect(pool.run('inspect', INSPECTION, { reads: { bytes: 64 * 1024 } })).rejects.toMatchObject(
    ended(1.7),
  )
})

test('long waits are a problem if every process is stuck, and otherwise not', async () => {
  const pool = poolOf(program(STUCK_NODES), 20, { stuckSeconds: 0.1, lastingSeconds: 0.2 })
  expect(pool.problem()).toBeNull()
  const ends = Promise.allSettled(
    Array.from({ length: 5 }, () => pool.run('node', { ...NODE, type: 'stuck' })),
  )
  // Two processes, and two that replaced them when they were stuck.
  const problem = /^\d+ long tasks? waits? for a worker process, .* 4 of 4 processes show no activity$/
  await until(() => problem.test(pool.problem() ?? ''))
  await pool.close()
  await ends
})

test('a process that ran out of memory is not used again, even if it continues', async () => {
  const full = join(folder, 'full')
  const pool = poolOf(
    program(`if (!fs.existsSync(${JSON.stringify(full)})) {
        fs.writeFileSync(${JSON.stringify(full)}, String(process.pid))
        return reply({ type: 'error', id: request.id, code: 'OUT_OF_MEMORY', message: 'full', details: '', trace: null })
      }
      ${answering}`),
  )
  await expect(pool.run('probe', {})).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' })
  expect(pidOf(await pool.run('probe', {}))).not.toBe(readFileSync(full, 'utf8'))
})

test('an error of the trainer keeps its code; an unknown code becomes TRAINER_FAILED', async () => {
  const failing = (code: string) =>
    poolOf(
      program(
        `reply({ type: 'error', id: request.id, code: '${code}', message: 'row 3', details: 'fix it', trace: 'secret' })`,
      ),
    ).run('probe', {})
  await expect(failing('CSV_MALFORMED')).rejects.toMatchObject({
    code: 'CSV_MALFORMED',
    http: 400,
    message: 'row 3',
    details: 'fix it',
  })
  await expect(failing('toString')).rejects.toMatchObject({ code: 'TRAINER_FAILED', http: 500 })
})

test('a result that violates the contract is refused, and the log contains the path, not the value', async () => {
  const pool = poolOf(
    program("reply({ type: 'result', id: request.id, result: { ...PROBE, mps: 'Mustermann' } })"),
  )
  await expect(pool.run('probe', {})).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  expect(JSON.stringify(warnings)).toContain('mps')
  expect(JSON.stringify(warnings)).not.toContain('Mustermann')
})

test('output of a library, and replies to other requests, are ignored', async () => {
  const pool = poolOf(
    program(`console.log('loading weights…'); console.log('{"type":"result"}')
      reply({ type: 'result', id: 'another', result: null })
      ${answering}`),
  )
  expect(await pool.run('probe', {})).toMatchObject({ python_version: '3.11' })
})

test('characters are complete wherever a pipe splits them', async () => {
  const text = 'ä€😀'.repeat(50_000)
  const pool = poolOf(
    program(
      `reply({ type: 'result', id: request.id, result: { ...PROBE, python_version: 'ä€😀'.repeat(50000) } })`,
    ),
  )
  expect((await pool.run('probe', {})).python_version).toBe(text)
})

describe('PYTHON_UNAVAILABLE has a remedy', () => {
  test.each([
    ['no interpreter', join(folder, 'no-python')],
    [
      'an interpreter without the trainer',
      program("console.error('No module named medloom_trainer'); process.exit(1)"),
    ],
  ])('%s', async (_case, python) => {
    await expect(poolOf(python).run('probe', {})).rejects.toMatchObject({
      code: 'PYTHON_UNAVAILABLE',
      details: expect.stringContaining('npm run setup'),
    })
  })
})

test('closing ends the processes and refuses waiting tasks', async () => {
  const pool = poolOf(program('setInterval(() => {}, 1000)'))
  const tasks = Array.from({ length: 3 }, () => pool.run('probe', {}))
  const settled = Promise.allSettled(tasks)
  await new Promise((resolve) => setTimeout(resolve, 200))
  await pool.close()
  for (const outcome of await settled) expect(outcome.status).toBe('rejected')
  await expect(pool.run('probe', {})).rejects.toThrow(/shutting down/)
})

test('a worker does not receive the secrets of the service', async () => {
  process.env.MEDLOOM_TOKEN_FILE = '/secret'
  process.env.AWS_SECRET_ACCESS_KEY = 'secret'
  try {
    const pool = poolOf(
      program("reply({ type: 'result', id: request.id, result: { ...PROBE, packages: process.env } })"),
    )
    const { packages } = await pool.run('probe', {})
    expect(packages).toHaveProperty('PATH')
    expect(JSON.stringify(packages)).not.toContain('secret')
  } finally {
    delete process.env.MEDLOOM_TOKEN_FILE
    delete process.env.AWS_SECRET_ACCESS_KEY
  }
})

const python = testPython()

test.skipIf(!python)(
  'a trainer of another version is refused: the error has both versions, and a remedy',
  async () => {
    const other = join(folder, 'other', 'medloom_trainer')
    cpSync(join(TRAINER, 'fast_exit.py'), join(other, 'fast_exit.py'), {
      recursive: true,
    })
    cpSync(join(TRAINER, '__main__.py'), join(other, '__main__.py'))
    writeFileSync(join(other, '__init__.py'), '__version__ = "9.9.9"\n')
    vi.stubEnv('PYTHONPATH', join(folder, 'other'))
    const failed = poolOf(python ?? '').run('probe', {})
    await expect(failed).rejects.toMatchObject({
      code: 'PYTHON_UNAVAILABLE',
      message: expect.stringContaining(
        `the trainer has version 9.9.9, but the service has version ${MEDLOOM_VERSION}`,
      ),
    })
  },
)

describe.skipIf(!python)('the real trainer', () => {
  // One process for both, since importing PyTorch takes seconds.
  test('returns its versions, and refuses a missing file with a specific code', async () => {
    const pool = poolOf(python ?? '', 60)
    const probe = await pool.run('probe', {})
    expect(probe.python_version).toMatch(/^3\.\d+/)
    expect(probe.pytorch_version).toMatch(/^\d+\.\d+/)
    expect(await pool.run('probe', {})).toEqual(probe)
    const inspection = pool.run('inspect', {
      path: join(folder, 'nothing.csv'),
      image_root: null,
      label_column: null,
      label_columns: null,
      time_column: null,
      event_column: null,
      patient_column: null,
      positive_class: null,
      slices: null,
      roles: {},
      ignore_columns: [],
      recipe: null,
      roots: [folder],
    })
    await expect(inspection).rejects.toMatchObject({ http: 400 })
  }, 90_000)
})

describe('predictions of single cases', () => {
  const BASIS = {
    ...{ task: 'classification', classes: null, checkpoint_digest: '', epoch: null, temperature: null },
    ...{ operating_point: null, threshold: null, coverage: null, training_cases: null },
    ...{ training_patients: null, image_distance: null },
  }
  const answer = `
    const result = (id) => reply({ type: 'result', id, result: { basis: ${JSON.stringify(BASIS)}, num_cases: 1, num_failed: 0,
      predictions: [], file: null, input_digests: [String(process.pid)], warnings: [] } })
    if (request.params.path) return
    if (request.task === 'model_inputs')
      return reply({ type: 'result', id: request.id, result: { images: { columns: [String(process.pid)], required: true }, columns: [] } })
    setTimeout(() => result(request.id), 20)`
  const predict = async (pool: TaskPool, checkpoint: string, path: string | null = null) => {
    const { input_digests } = await pool.run('predict', {
      ...{ checkpoint, rows: path === null ? [{}] : null, path, recipe: null, image_root: null },
      ...{ id_column: null, calibrated: true, operating_point: null, out_dir: null, format: 'csv' },
      ...{ refused_rows: [], allow_missing_columns: false },
      ...{ returned: 100, data_dir: '', cache_dir: '', roots: [], device: 'cpu' },
      ...{ prediction_id: '', requested_at: new Date().toISOString(), follow_ups: [] },
    })
    return input_digests[0]
  }

  test('run in the process that already has the model, also after another model was used', async () => {
    const pool = poolOf(program(answer))
    const [one, other] = await Promise.all([predict(pool, 'one'), predict(pool, 'other')])
    expect(other).not.toBe(one)
    for (const [checkpoint, pid] of [
      ['one', one],
      ['other', other],
      ['one', one],
      ['one', one],
    ] as const)
      expect(await predict(pool, checkpoint)).toBe(pid)
  })

  test('run in the process that has read the inputs of the model', async () => {
    const pool = poolOf(program(answer))
    const folders = { data_dir: '', roots: [] }
    const [one, other] = await Promise.all(
      ['one', 'other'].map((checkpoint) => pool.run('model_inputs', { checkpoint, ...folders })),
    )
    expect([await predict(pool, 'other'), await predict(pool, 'one')]).toEqual([
      other?.images.columns[0],
      one?.images.columns[0],
    ])
  })

  test('do not wait for the predictions of tables', async () => {
    const pool = poolOf(program(answer))
    const tables = ['a', 'b', 'c'].map((path) => predict(pool, 'one', path).catch(() => 'ended'))
    expect(await predict(pool, 'one')).toMatch(/^\d+$/)
    await pool.close()
    expect(await Promise.all(tables)).toEqual(['ended', 'ended', 'ended'])
  })

  test('200 at once use at most two processes, and none is lost', async () => {
    const pool = poolOf(program(answer.replace('20', '0')))
    const pids = await Promise.all(Array.from({ length: 200 }, () => predict(pool, 'one')))
    expect(pids.filter((pid) => /^\d+$/.test(pid ?? ''))).toHaveLength(200)
    expect(new Set(pids).size).toBeLessThanOrEqual(2)
  })
})
