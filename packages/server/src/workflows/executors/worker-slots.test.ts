/** @module-tag service */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeType } from '@medloom/contracts'
import { Cancellation, type Task } from '@medloom/workflow'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { schedulerOf } from '../../../testing/training/scheduler-of.js'
import { until } from '../../../testing/training/until.js'
import { workerProgram } from '../../../testing/worker-program.js'
import type { TaskPool } from '../../ports/task-pool.js'
import { createTaskPool } from '../../worker/task-pool.js'
import type { ExecutionContext } from './executor.js'
import { computeInWorker } from './worker-node.js'

const WORKER = (log: string) => `
const { type, config, device } = request.params
fs.appendFileSync(${JSON.stringify(log)}, type + ' on ' + device + '\\n')
if (config.doing === 'fail')
  return reply({ type: 'error', id: request.id, code: 'NODE_FAILED', message: 'no', details: '', trace: null })
if (config.doing === 'crash') process.exit(3)
if (config.doing === 'killed' || (config.doing === 'killed once' && !fs.existsSync(${JSON.stringify(`${log}.killed`)}))) {
  fs.writeFileSync(${JSON.stringify(`${log}.killed`)}, '')
  process.kill(process.pid, 'SIGKILL')
}
if (config.doing === 'forever') return
reply({ type: 'result', id: request.id, result: { outputs: {}, warnings: [] } })`

let base: string
let pool: TaskPool
let scheduler: ReturnType<typeof schedulerOf>
const messages: string[] = []
const logged: string[] = []

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-node-slots-')))
  pool = createTaskPool({
    python: workerProgram(base, WORKER(join(base, 'log'))),
    logs: base,
    log: pino({ level: 'silent' }),
  })
  scheduler = schedulerOf('cuda:0')
  messages.length = 0
  logged.length = 0
})
afterEach(async () => {
  scheduler.close()
  await pool.close()
  rmSync(base, { recursive: true, force: true })
})

const computed = () => {
  try {
    return readFileSync(join(base, 'log'), 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}

const compute = (type: NodeType, doing = '', cancellation = new Cancellation()) => {
  const service = { pool, folder: { path: base, cache: base }, roots: { folders: [] } }
  const task = {
    ...{ node: 'a', type, config: { doing }, inputs: {}, key: '', implicit: {}, cancellation },
    progress: (_: number, message?: string) => void messages.push(message ?? ''),
    ...{ log: (line: string) => void logged.push(line), warn: () => undefined, job: () => undefined },
  } as Task
  const context = { service, store: { folder: base }, slots: scheduler } as never as ExecutionContext
  return computeInWorker(task, context, task.config)
}

test('a node that evaluates waits for the accelerator, and reports that', async () => {
  const slot = await scheduler.tryAcquire('auto')
  const node = compute('EvaluateModel')
  // Another node needs only the CPU, so it does not wait.
  await compute('FilterData')
  expect(computed()).toEqual(['FilterData on cpu'])
  expect(messages).toEqual(['waiting for a device'])
  slot?.release()
  await node
  expect(computed()).toEqual(['FilterData on cpu', 'EvaluateModel on auto'])
  expect(await scheduler.tryAcquire('auto')).not.toBeNull()
})

test('canceled while it waits, it ends at once and leaves the queue', async () => {
  const slot = await scheduler.tryAcquire('auto')
  const cancellation = new Cancellation()
  const node = compute('EvaluateModel', '', cancellation)
  const ended = expect(node).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  cancellation.request()
  await ended
  slot?.release()
  expect(await scheduler.tryAcquire('auto')).not.toBeNull()
  expect(computed()).toEqual([])
})

test.each(['fail', 'crash'])('its slot is free when it has ended: %s', async (doing) => {
  await expect(compute('EvaluateModel', doing)).rejects.toThrow()
  expect(await scheduler.tryAcquire('auto')).not.toBeNull()
})

test('its slot is free when it was canceled while it computed', async () => {
  const cancellation = new Cancellation()
  const node = compute('EvaluateModel', 'forever', cancellation)
  const ended = expect(node).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  await until(() => computed().length === 1)
  expect(await scheduler.tryAcquire('auto')).toBeNull()
  cancellation.request()
  await ended
  expect(await scheduler.tryAcquire('auto')).not.toBeNull()
})

test('a node whose worker is killed is computed a second time, and the log contains the reason', async () => {
  await compute('FilterData', 'killed once')
  expect(computed()).toEqual(['FilterData on cpu', 'FilterData on cpu'])
  expect(logged).toEqual([
    'the worker was killed during the task, often because the machine ran out of memory; the node is computed again',
  ])
})

test.each([
  ['killed', 2],
  ['crash', 1],
  ['fail', 1],
])('a node fails after its worker was killed twice, and at once after an error: %s', async (doing, times) => {
  await expect(compute('FilterData', doing)).rejects.toThrow()
  expect(computed()).toHaveLength(times)
})
