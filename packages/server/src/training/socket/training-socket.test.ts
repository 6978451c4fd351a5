/** @module-tag service */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type JobMessage, LIMITS } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withShortReports } from '../../../testing/short-reports.js'
import { Place, startTrainingService } from '../../../testing/training/training-service.js'

let place: Place
let service: Awaited<ReturnType<typeof startTrainingService>>
withShortReports()
beforeAll(async () => {
  place = new Place()
  service = await startTrainingService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const seqs = (messages: readonly JobMessage[]) => messages.map(({ seq }) => seq)
const types = (messages: readonly JobMessage[]) => messages.map(({ type }) => type)
const isDense = (messages: readonly JobMessage[], from = 1) =>
  expect(seqs(messages)).toEqual(messages.map((_, index) => from + index))

describe('a follower', () => {
  it('gets every message of a job as it happens, the terminal one last and once, then 1000', async () => {
    const jobId = await service.start('batches=20', place.config({ epochs: 3 }))
    const { messages, closed } = service.follow(jobId, '?since=0')
    expect(await closed).toBe(1000)
    isDense(messages)
    expect(types(messages).filter((type) => type === 'completed' || type === 'error')).toEqual(['completed'])
    expect(types(messages).at(-1)).toBe('completed')
    expect(types(messages).filter((type) => type === 'progress')).toHaveLength(60)
    for (const message of messages)
      expect(message).toMatchObject({ job_id: jobId, epoch: expect.any(Number), metrics: {} })
  })

  it('that connects at any moment has neither a gap nor a repeated message', async () => {
    const jobId = await service.start('batches=200 delay=5', place.config({ epochs: 3 }))
    const followers = []
    while (followers.length < 40 && (await service.status(jobId)).status !== 'completed') {
      followers.push(service.follow(jobId, '?since=0'))
      await delay(15)
    }
    expect(followers.length).toBeGreaterThan(10)
    for (const { messages, closed } of followers) {
      expect(await closed).toBe(1000)
      isDense(messages)
      expect(messages.length).toBe(607)
    }
  })

  it('resumes with since: exactly the later messages', async () => {
    const jobId = await service.start('plain')
    await service.ended(jobId)
    const { messages, closed } = service.follow(jobId, '?since=5')
    await closed
    isDense(messages, 6)
    expect(types(messages).at(-1)).toBe('completed')
  })

  it('without since gets everything except superseded progress, even for a job that ended long ago', async () => {
    const jobId = await service.start('plain')
    await service.ended(jobId)
    const all = service.follow(jobId, '?since=0')
    const recent = service.follow(jobId)
    await Promise.all([all.closed, recent.closed])
    const newest = all.messages.findLast(({ type }) => type === 'progress')
    expect(recent.messages).toEqual(
      all.messages.filter((message) => message.type !== 'progress' || message === newest),
    )
  })

  it('of a job that was stopped in the queue gets its only message', async () => {
    const long = await service.start('long', place.config({ epochs: 1000 }))
    const waiting = await service.start('waiting')
    const early = service.follow(waiting)
    await new Promise((done) => early.socket.on('open', done))
    await service.stop(waiting)
    expect(await early.closed).toBe(1000)
    const late = service.follow(waiting)
    expect(await late.closed).toBe(1000)
    expect(late.messages).toEqual(early.messages)
    expect(late.messages).toMatchObject([{ type: 'completed', status: 'stopped', seq: 1 }])
    await service.stop(long)
  })

  it('that has received everything gets no more messages', async () => {
    const jobId = await service.start('plain')
    await service.ended(jobId)
    const { messages, closed } = service.follow(jobId, '?since=999999')
    expect(await closed).toBe(1000)
    expect(messages).toEqual([])
  })

  it('may send any message: it is ignored', async () => {
    const jobId = await service.start('delay=20', place.config({ epochs: 3 }))
    const { socket, messages, closed } = service.follow(jobId)
    socket.on('open', () => {
      socket.send('stop')
      socket.send(Buffer.from([0, 255]))
    })
    expect(await closed).toBe(1000)
    expect(messages.at(-1)).toMatchObject({ type: 'completed', status: 'completed' })
  })

  it('that disconnects does no harm', async () => {
    const jobId = await service.start('batches=50', place.config({ epochs: 2 }))
    const { socket } = service.follow(jobId)
    await new Promise((done) => socket.on('message', done))
    socket.terminate()
    expect((await service.ended(jobId)).status).toBe('completed')
  })
})

describe('an upgrade is refused', () => {
  it('with 404 and the error body for an unknown job', async () => {
    const { status, body } = await service.follow('4d0f4f1e-0000-4000-8000-000000000000').refused
    expect(status).toBe(404)
    expect(JSON.parse(body)).toMatchObject({
      code: 'JOB_NOT_FOUND',
      error: expect.any(String),
      details: expect.any(String),
    })
  })

  it.each(['-1', '1.5', 'x', ''])('with 400 for since=%s', async (since) => {
    const jobId = await service.start('plain')
    const { status, body } = await service.follow(jobId, `?since=${since}`).refused
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('with the error body for a plain request', async () => {
    const jobId = await service.start('plain')
    expect(await service.send('GET', `/ws/training/${jobId}`)).toMatchObject({
      status: 404,
      body: { code: 'ROUTE_NOT_FOUND' },
    })
  })
})

it('a client that never reads does not use memory for its pending messages', async () => {
  const jobId = await service.start('batches=1 delay=0', place.config({ epochs: 1 }))
  await service.ended(jobId)
  const row = await service.database
    .selectFrom('job_events')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('seq', '=', 1)
    .executeTakeFirstOrThrow()
  const other = await service.start('plain')
  await service.ended(other)
  const bulk = { ...JSON.parse(row.message), padding: 'x'.repeat(20_000) }
  for (let start = 0; start < 5000; start += 100)
    await service.database
      .insertInto('job_events')
      .values(
        Array.from({ length: 100 }, (_, index) => ({
          job_id: other,
          seq: 1000 + start + index,
          type: 'validation',
          message: JSON.stringify(bulk),
        })),
      )
      .execute()
  await service.database.updateTable('jobs').set({ last_seq: 5999 }).where('job_id', '=', other).execute()
  const { hostname, port } = new URL(service.url)
  // 100 MB are pending for it.
  const before = process.memoryUsage().rss
  const silent = connect(Number(port), hostname)
  silent.pause()
  silent.write(
    `GET /ws/training/${other}?since=0 HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await delay(1000)
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * LIMITS.socket_buffer_bytes)
  silent.destroy()
})
