/** @module-tag service */
import type { Job, JobResponse, User } from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.js'
import { type PeopleService, startPeopleService } from '../../testing/people-service.js'
import { withShortReports } from '../../testing/short-reports.js'
import { Place } from '../../testing/training/training-service.js'

let place: Place
let service: PeopleService
withShortReports()
beforeAll(async () => {
  place = new Place()
  service = await startPeopleService(place, { maxJobs: 4 })
  for (const user of ['ann', 'bob']) await service.create(user, 'run')
})
afterEach(async () => {
  for (const user of ['ann', 'bob']) await set(user, null, null)
  for (const id of started) await service.sendAs('root', 'POST', `/api/training/${id}/stop`)
  started.length = 0
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const started: string[] = []
const start = async (user: string) => {
  const request = { config: place.config({ epochs: 5000 }), job_name: 'delay=50' }
  const { status, body } = await service.sendAs<JobResponse>(user, 'POST', '/api/training/start', request)
  if (status === 200) started.push(body.job_id)
  return { status, code: body.code, id: body.job_id }
}
const set = (user: string, running: number | null, queued: number | null) =>
  service.sendAs<User>('root', 'PUT', `/api/users/${user}`, {
    max_running_jobs: running,
    max_queued_jobs: queued,
  })
const job = async (id: string) => (await service.sendAs<Job>('ann', 'GET', `/api/training/${id}/status`)).body
const running = (id: string) => eventually(async () => (await job(id)).status === 'running')

test('jobs beyond the quota of a user wait with that reason, and do not block other users', async () => {
  expect((await set('ann', 1, null)).body).toMatchObject({ user: 'ann', max_running_jobs: 1 })
  const [first, second, third] = [await start('ann'), await start('ann'), await start('bob')]
  await Promise.all([running(first.id), running(third.id)])
  expect(await job(second.id)).toMatchObject({
    status: 'started',
    reason: 'quota: ann can run 1 job at the same time',
  })
  const { body } = await service.sendAs<{ users: User[] }>('bob', 'GET', '/api/users')
  expect(body.users.map(({ user, running_jobs, queued_jobs }) => [user, running_jobs, queued_jobs])).toEqual([
    ['ann', 1, 1],
    ['bob', 1, 0],
    ['root', 0, 0],
  ])
  await service.sendAs('ann', 'POST', `/api/training/${first.id}/stop`)
  await running(second.id)
})

test('a larger quota starts waiting jobs', async () => {
  await set('ann', 0, null)
  const { id } = await start('ann')
  const other = await start('bob')
  await running(other.id)
  expect((await job(id)).status).toBe('started')
  await set('ann', null, null)
  await running(id)
})

test('a job beyond the queue quota is refused, only for that user', async () => {
  await set('ann', 0, 1)
  expect((await start('ann')).status).toBe(200)
  expect(await start('ann')).toMatchObject({ status: 400, code: 'QUOTA_EXCEEDED' })
  expect((await start('bob')).status).toBe(200)
})

test('administrators set quotas of existing users', async () => {
  const quotas = { max_running_jobs: 1, max_queued_jobs: 1 }
  expect((await service.sendAs('ann', 'PUT', '/api/users/ann', quotas)).body.code).toBe('FORBIDDEN')
  expect((await service.sendAs('root', 'PUT', '/api/users/nobody', quotas)).body.code).toBe('USER_NOT_FOUND')
})
