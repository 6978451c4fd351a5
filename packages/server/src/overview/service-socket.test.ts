/** @module-tag service */
import { ServiceMessage, type ServiceState } from '@medloom/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Place, startTrainingService } from '../../testing/training/training-service.js'
import { until } from '../../testing/training/until.js'

const place = new Place()
let service: Awaited<ReturnType<typeof startTrainingService>>
beforeAll(async () => {
  service = await startTrainingService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const sockets: WebSocket[] = []
afterAll(() => {
  for (const socket of sockets) socket.close()
})

/** Checks that every message matches the contract and that none is missing after the first. */
function watch(query = '') {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws/service${query}`)
  sockets.push(socket)
  const messages: ServiceMessage[] = []
  socket.on('message', (data) => {
    const message = ServiceMessage.parse(JSON.parse(String(data)))
    const before = messages.at(-1)
    if (before) expect(message.seq).toBe(before.seq + 1)
    messages.push(message)
  })
  const jobs = (jobId: string) =>
    messages.flatMap((message) =>
      message.type === 'job' && message.job.job_id === jobId ? [message.job] : [],
    )
  return { socket, messages, jobs }
}

async function completedJobs(): Promise<number> {
  const { body } = await service.send<ServiceState>('GET', '/api/system/state')
  return body.usage.counts.jobs.completed ?? 0
}

test('a snapshot, then every change of a job until it is removed, identical for all watchers', async () => {
  const completed = await completedJobs()
  const before = await service.start('plain')
  await service.ended(before)
  const watchers = [watch(), watch()]
  await until(() => watchers.every(({ messages }) => messages.length > 0))
  for (const { messages } of watchers) {
    const [first] = messages
    if (first?.type !== 'snapshot') throw new Error('not a snapshot')
    expect(first.state.jobs.map(({ job_id }) => job_id)).toContain(before)
    expect(first.state.models.map(({ job_id }) => job_id)).toContain(before)
    expect(first.state.usage).toMatchObject({
      slots: { total: 1 },
      counts: { jobs: { completed: completed + 1 } },
    })
  }
  const jobId = await service.start('batches=2 flood=20 pause=1')
  // It pauses until it is stopped, so that no watcher misses that it runs.
  const reached = (status: string) =>
    until(() => watchers.every(({ jobs }) => jobs(jobId).at(-1)?.status === status))
  await reached('running')
  await service.stop(jobId)
  await reached('stopped')
  for (const { jobs, messages } of watchers) {
    const updates = jobs(jobId)
    expect(updates.map(({ status }) => status)).toContain('running')
    // The messages of 40 batches at a time are sent as a few.
    expect(updates.length).toBeLessThan(20)
    await until(() => messages.some((message) => message.type === 'model' && message.model.job_id === jobId))
  }
  const { body } = await service.send<{ model_id: string }>('GET', `/api/training/${jobId}/status`)
  await service.send('DELETE', `/api/models/${body.model_id}`)
  await service.send('DELETE', `/api/training/${jobId}`)
  const removed = (messages: readonly ServiceMessage[]) =>
    messages.flatMap((message) => (message.type === 'removed' ? [[message.kind, message.id]] : []))
  await until(() => watchers.every(({ messages }) => removed(messages).length === 2))
  for (const { messages } of watchers)
    expect(removed(messages).sort()).toEqual([
      ['job', jobId],
      ['model', body.model_id],
    ])
})

test('a client that reconnects with its last number gets the missed messages, with another stream a snapshot', async () => {
  const first = watch()
  await until(() => first.messages.length > 0)
  const [snapshot] = first.messages
  if (snapshot?.type !== 'snapshot') throw new Error('not a snapshot')
  first.socket.terminate()
  const jobId = await service.start('plain')
  const other = watch()
  await until(() => other.jobs(jobId).at(-1)?.status === 'completed')
  const back = watch(`?stream=${snapshot.stream}&since=${snapshot.seq}`)
  await until(() => back.jobs(jobId).at(-1)?.status === 'completed')
  expect(back.messages[0]).toMatchObject({ seq: snapshot.seq + 1 })
  expect(back.messages.some(({ type }) => type === 'snapshot')).toBe(false)
  for (const query of [
    `?stream=another&since=${snapshot.seq}`,
    `?stream=${snapshot.stream}&since=999999999`,
    `?stream=${snapshot.stream}&since=x`,
  ]) {
    const again = watch(query)
    await until(() => again.messages.length > 0)
    expect(again.messages[0]?.type).toBe('snapshot')
  }
})

test('when jobs leave the queue, waiting jobs get their new positions', async () => {
  const { jobs, messages } = watch()
  await until(() => messages.length > 0)
  const running = await service.start('long', place.config({ epochs: 1000 }))
  const waiting = [await service.start('first'), await service.start('second')]
  await until(() => jobs(waiting[1] ?? '').at(-1)?.queue_position === 2)
  await service.stop(waiting[0] ?? '')
  await until(() => jobs(waiting[1] ?? '').at(-1)?.queue_position === 1)
  await service.stop(running)
  await service.ended(waiting[1] ?? '')
}, 60_000)

test('the same state is available over HTTP', async () => {
  const { status, body } = await service.send('GET', '/api/system/state')
  expect([status, Object.keys(body as object)]).toEqual([
    200,
    ['version', 'usage', 'jobs', 'runs', 'studies', 'models', 'datasets'],
  ])
})
