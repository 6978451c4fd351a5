/** @module-tag service */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackgroundTask, LIMITS } from '@medloom/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceWithModels } from '../../testing/evaluations.js'
import { until } from '../../testing/training/until.js'
import { openDatabase } from '../database/database.js'
import { startService } from '../service.js'
import { TasksRepository } from './tasks.repository.js'
import { TasksService } from './tasks.service.js'

/** Evaluations of other.csv report progress, leave a file and never end. */
const ENDLESS = `
  if (request.params.csv.endsWith('other.csv')) {
    fs.writeFileSync(request.params.out_dir + '/half.csv', String(process.pid))
    const message_phrases = [{ code: 'predicting' }]
    return reply({ type: 'progress', id: request.id, fraction: 0.25, message: 'predicting', message_phrases })
  }`

let service: Awaited<ReturnType<typeof serviceWithModels>>
beforeAll(async () => {
  service = await serviceWithModels(ENDLESS)
})
afterAll(() => service.close())

const post = (url: string, payload: object = {}) => service.app.inject({ method: 'POST', url, payload })
const evaluate = (body: object = {}, model = 'resnet18_gated_001') =>
  post(`/api/models/${model}/evaluate?wait=false`, body)
const task = async (id: string) => BackgroundTask.parse(await service.get(`/api/tasks/${id}`))
const folders = () => {
  const folder = service.run(service.jobs[0], 'evaluations')
  return existsSync(folder) ? readdirSync(folder) : []
}

async function ended(id: string): Promise<BackgroundTask> {
  let found = await task(id)
  await until(async () => {
    found = await task(id)
    return found.state !== 'running'
  })
  return found
}

test('a background evaluation is a task whose result is the evaluation', async () => {
  const response = await evaluate({ split: 'test' })
  expect(response.statusCode).toBe(202)
  expect(BackgroundTask.parse(response.json())).toMatchObject({
    route: 'evaluateModel',
    request: { model_id: 'resnet18_gated_001', split: 'test' },
    state: 'running',
    result: null,
    ended_at: null,
  })
  const { state, progress, result } = await ended(response.json().task_id)
  expect([state, progress]).toEqual(['completed', 1])
  const { evaluation_id } = result as { evaluation_id: string }
  expect((await service.get(`/api/evaluations/${evaluation_id}`)).evaluation_id).toBe(evaluation_id)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('progress comes from the worker; a canceled task leaves neither a process nor a file', async () => {
  const before = folders()
  const { task_id } = (await evaluate({ test_csv: 'other.csv' })).json()
  await until(async () => (await task(task_id)).progress > 0)
  const phase = { phase: 'predicting', phase_phrases: [{ code: 'predicting' }] }
  expect(await task(task_id)).toMatchObject({ state: 'running', progress: 0.25, ...phase })
  const [folder = ''] = folders().filter((name) => !before.includes(name))
  const half = service.run(service.jobs[0], 'evaluations', folder, 'half.csv')
  const pid = Number(readFileSync(half, 'utf8'))
  const cancelled = (await post(`/api/tasks/${task_id}/cancel`)).json()
  expect(cancelled).toMatchObject({ state: 'cancelled', result: null, error: null, phase: '' })
  expect(folders()).toEqual(before)
  // It was killed; its end is detected a moment later.
  await expect.poll(() => isAlive(pid)).toBe(false)
  // An ended task does not change.
  expect((await post(`/api/tasks/${task_id}/cancel`)).json()).toEqual(cancelled)
})

test('a task fails with the error that its route would have returned', async () => {
  const { task_id } = (await evaluate({ test_csv: 'none.csv' })).json()
  expect(await ended(task_id)).toMatchObject({ state: 'failed', error: { code: 'FILE_NOT_FOUND' } })
  expect((await evaluate({}, 'none')).json().code).toBe('MODEL_NOT_FOUND')
  expect((await evaluate({ splt: 'test' })).json().code).toBe('UNKNOWN_FIELD')
  expect((await post('/api/models/latest/evaluate?wait=no')).statusCode).toBe(400)
})

test('tasks are listed newest first, without their results', async () => {
  for (const test_csv of ['none.csv', 'test.csv']) await ended((await evaluate({ test_csv })).json().task_id)
  const { tasks } = await service.get('/api/tasks?page_size=2')
  expect(tasks.map(({ state }: BackgroundTask) => state)).toEqual(['completed', 'failed'])
  expect(tasks[0]).not.toHaveProperty('result')
  expect((await service.get('/api/tasks/none')).code).toBe('TASK_NOT_FOUND')
})

test('a task that a service did not finish has ended with it', async () => {
  const own = await serviceWithModels(ENDLESS)
  const response = await own.app.inject({
    method: 'POST',
    url: '/api/models/latest/evaluate?wait=false',
    payload: { test_csv: 'other.csv' },
  })
  const { task_id } = response.json()
  await until(async () => (await own.get(`/api/tasks/${task_id}`)).progress > 0)
  await own.close()
  expect(readdirSync(own.run(own.jobs[1], 'evaluations'))).toEqual([])
  const database = await openDatabase(join(own.settings.dataDir, 'medloom.db'))
  const tasks = new TasksRepository(database)
  expect(await tasks.find(task_id)).toMatchObject({ state: 'failed', error: { code: 'TASK_INTERRUPTED' } })
  // The state that a killed service leaves.
  await tasks.insert({ task_id: 'killed', route: 'evaluateModel', request: {}, owner: null, created_at: '' })
  await database.destroy()
  const next = await startService(own.settings)
  const { json } = await next.app.inject({ url: '/api/tasks/killed' })
  expect(json()).toMatchObject({ state: 'failed', error: { code: 'TASK_INTERRUPTED' } })
  await next.close()
})

test('only the newest ended tasks are kept', async () => {
  const folder = join(service.root, 'kept.db')
  expect(existsSync(folder)).toBe(false)
  const database = await openDatabase(folder)
  const tasks = new TasksRepository(database)
  const end = { state: 'completed', progress: 1, result: {}, error: null } as const
  for (const task_id of ['a', 'b', 'c', 'd'])
    await tasks.insert({ task_id, route: 'inspectDataset', request: {}, owner: null, created_at: '' })
  for (const task_id of ['b', 'c', 'd']) await tasks.end(task_id, end, 2)
  const { items } = await tasks.list(10, undefined)
  expect(items.map((one) => [one.task_id, one.state])).toEqual([
    ['d', 'completed'],
    ['c', 'completed'],
    ['a', 'running'],
  ])
  await database.destroy()
})

test('a user who has used their share of the tasks gets another one once one of theirs has ended', async () => {
  const database = await openDatabase(join(service.root, 'shares.db'))
  for (const user_name of ['ann', 'bob'])
    await database.insertInto('users').values({ user_name, created_at: '' }).execute()
  const tasks = new TasksService({
    database,
    log: { warn: () => undefined, error: () => undefined } as never,
  })
  const begin = (owner: string) =>
    tasks.begin('inspectDataset', {}, owner, (signal) => new Promise((_, end) => (signal.onabort = end)))
  const first = await begin('ann')
  for (let count = 1; count < LIMITS.running_tasks / 2; count++) await begin('ann')
  await expect(begin('ann')).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  await begin('bob')
  await tasks.cancel(first.task_id)
  await begin('ann')
  await tasks.close()
  await database.destroy()
})
