import { MedloomClient, type Transport } from '@medloom/client/node'
import { expect, it } from 'vitest'
import { followTask, taskLine } from './follow-task.js'

const RUNNING = {
  task_id: 't',
  state: 'running',
  progress: 0.5,
  phase: 'predicting',
  error: null,
  result: null,
}

/** A client whose service returns these tasks one after the other, and the requests that it received. */
function clientOf(...tasks: object[]) {
  const requests: string[] = []
  const transport: Transport = async ({ method, url }) => {
    requests.push(`${method} ${new URL(url).pathname}${new URL(url).search}`)
    const body = JSON.stringify({ ...RUNNING, ...tasks.shift() })
    return { status: requests.length === 1 ? 202 : 200, bytes: new TextEncoder().encode(body) }
  }
  return { client: new MedloomClient({ baseUrl: 'http://x', transport }), requests }
}

const written: string[] = []
const stream = { isTTY: true, columns: 60, write: (text: string) => written.push(text) }

it('returns the response of the route, and shows its progress meanwhile', async () => {
  const { client, requests } = clientOf({}, { state: 'completed', result: { evaluation_id: 'e' } })
  const found = await followTask(client, 'evaluateModel', { model_id: 'm' }, stream)
  expect(found).toEqual({ evaluation_id: 'e' })
  expect(requests).toEqual(['POST /api/models/m/evaluate?wait=false', 'GET /api/tasks/t'])
  expect(written.join('')).toContain('50 %  predicting')
})

it('Ctrl-C cancels the work', async () => {
  const { client, requests } = clientOf({}, { state: 'cancelled' })
  setTimeout(() => process.emit('SIGINT'), 20)
  expect(await followTask(client, 'evaluateModel', { model_id: 'm' }, stream)).toBeNull()
  expect(requests.at(-1)).toBe('POST /api/tasks/t/cancel')
})

it('throws the error that the route would have returned', async () => {
  const error = { error: 'there is no model', code: 'MODEL_NOT_FOUND', details: 'List them.' }
  const { client } = clientOf({}, { state: 'failed', error })
  await expect(followTask(client, 'evaluateModel', { model_id: 'm' }, stream)).rejects.toMatchObject({
    ...{ code: 'MODEL_NOT_FOUND', http: 404, message: 'there is no model' },
  })
})

it('a line fits the terminal', () => {
  expect(taskLine({ progress: 1, phase: 'x'.repeat(200) }, 60)).toHaveLength(59)
})
