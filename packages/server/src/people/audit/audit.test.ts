/** @module-tag service */
import type { AuditEntry, JobResponse } from '@medloom/contracts'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import { type PeopleService, startPeopleService } from '../../../testing/people-service.js'
import { withShortReports } from '../../../testing/short-reports.js'
import { Place } from '../../../testing/training/training-service.js'
import { until } from '../../../testing/training/until.js'
import type { Database } from '../../database/database.js'
import { AppError } from '../../errors.js'
import type { Actor } from '../../security/actor.js'
import { AuditRepository } from './audit.repository.js'
import { AuditLog } from './audit-log.js'

withShortReports()
/** A service for the tests of one block, with some users. */
function withService() {
  const context = {} as { place: Place; service: PeopleService }
  beforeAll(async () => {
    context.place = new Place()
    context.service = await startPeopleService(context.place)
    for (const user of ['ann', 'bea', 'cem', 'dan']) await context.service.create(user, 'run')
  })
  afterAll(async () => {
    await context.service.close()
    context.place.remove()
  })
  const entries = async (query = '') =>
    (await context.service.sendAs<{ entries: AuditEntry[] }>('root', 'GET', `/api/audit${query}`)).body
      .entries
  return { context, entries }
}

describe('the audit log of a service', () => {
  const { context, entries } = withService()
  const train = (user: string, job_name: string) =>
    context.service.sendAs<JobResponse>(user, 'POST', '/api/training/start', {
      config: context.place.config(),
      job_name,
    })

  test('contains user, operation, ids, time, address and outcome, and nothing of the content', async () => {
    const before = new Date().toISOString()
    const { body } = await train('ann', 'a patient by name')
    const [entry] = await entries('?operation=startTraining&user=ann')
    const [row] = await context.service.database
      .selectFrom('tokens')
      .select('token_id')
      .where('user_name', '=', 'ann')
      .execute()
    expect(entry).toEqual({
      number: expect.any(Number),
      created_at: expect.any(String),
      user: 'ann',
      token_id: row?.token_id,
      operation: 'startTraining',
      ids: { job_id: body.job_id },
      outcome: 200,
      code: null,
      address: '127.0.0.1',
      request_id: expect.stringMatching(/^[\w-]{36}$/),
    })
    expect(String(entry?.created_at) >= before).toBe(true)
    const stored = JSON.stringify(await context.service.database.selectFrom('audit').selectAll().execute())
    for (const sent of [
      'patient',
      'train.csv',
      context.place.root,
      context.service.secretOf('ann'),
      'resnet18',
    ])
      expect(stored).not.toContain(sent)
  })

  test('contains failures with their code, and no reads or checks', async () => {
    const { body } = await train('bea', 'x')
    await context.service.sendAs('bea', 'POST', `/api/training/${body.job_id}/finish`)
    await context.service.sendAs('bea', 'GET', '/api/training')
    await context.service.sendAs('bea', 'POST', '/api/workflow/check', { workflow: {} })
    await context.service.sendAs('bea', 'POST', '/api/training/00000000-0000-4000-8000-000000000000/stop')
    const [missing, ...others] = await entries('?user=bea')
    expect(missing).toMatchObject({ operation: 'stopJob', outcome: 404, code: 'JOB_NOT_FOUND' })
    expect(others.map(({ operation }) => operation)).toEqual(['finishJob', 'startTraining'])
  })

  test('contains logins, including failed ones', async () => {
    const logIn = (token: string) =>
      fetch(`${context.service.url}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
    await logIn(context.service.secretOf('dan'))
    await logIn('mdl_wrong')
    await until(async () => (await entries('?operation=login')).length === 2)
    expect(
      (await entries('?operation=login')).map(({ user, outcome, code }) => [user, outcome, code]),
    ).toEqual([
      [null, 401, 'LOGIN_FAILED'],
      ['dan', 200, null],
    ])
  })

  test('is only for administrators, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await train('cem', name)
    expect((await context.service.sendAs('cem', 'GET', '/api/audit')).body.code).toBe('FORBIDDEN')
    const { body } = await context.service.sendAs<{ entries: AuditEntry[]; next_page_token: string }>(
      'root',
      'GET',
      '/api/audit?user=cem&page_size=2',
    )
    expect(body.entries).toHaveLength(2)
    // The first training, and the refusal above.
    expect(await entries(`?user=cem&page_size=2&page_token=${body.next_page_token}`)).toHaveLength(2)
    expect(await entries(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
  })
})

describe('the audit log of a service that refuses requests', () => {
  const { context, entries } = withService()

  test('contains refused requests, at most ten per address and minute', async () => {
    await context.service.sendAs('ann', 'GET', '/api/tokens')
    for (let count = 0; count < 15; count++) await fetch(`${context.service.url}/api/training?q=secret-name`)
    await until(async () => (await entries()).filter(({ outcome }) => (outcome ?? 0) > 400).length >= 10)
    const refused = (await entries()).filter(({ outcome }) => (outcome ?? 0) > 400)
    expect(refused).toHaveLength(10)
    expect(refused.at(-1)).toMatchObject({
      operation: 'listTokens',
      user: 'ann',
      outcome: 403,
      code: 'FORBIDDEN',
    })
    expect(refused[0]).toMatchObject({
      operation: 'listJobs',
      user: null,
      outcome: 401,
      code: 'UNAUTHORIZED',
    })
    expect(JSON.stringify(refused)).not.toContain('secret-name')
  })
})

describeEachDatabase((databases) => {
  let database: Database
  let repository: AuditRepository
  beforeEach(async () => {
    database = await databases.open()
    repository = new AuditRepository(database)
  })
  afterEach(() => database.destroy())

  const actor: Actor = { user: 'ann', role: 'run', identifiers: true, token_id: null }
  const work = { actor, request: { callerAddress: '10.0.0.1', id: 'r' }, ids: { job_id: 'j' } }
  const all = async () => (await repository.list({}, 50, undefined)).items
  const logOf = (days = 1) => new AuditLog(repository, pino({ level: 'silent' }), days)

  test('an entry is written before the work begins, and has no outcome while it runs', async () => {
    await logOf().carryOut('stopJob', work, async () => {
      expect(await all()).toMatchObject([{ operation: 'stopJob', user: 'ann', outcome: null }])
    })
    expect(await all()).toMatchObject([{ outcome: 200, ids: { job_id: 'j' } }])
  })

  test('work that is rolled back with its transaction is not a success in the log', async () => {
    const undone = logOf().carryOut('stopJob', work, (audited) =>
      database.transaction().execute(async (transaction) => {
        await audited({ task_id: 't' }, transaction)
        throw new AppError('JOB_NOT_RUNNING', { english: 'it has ended' })
      }),
    )
    await expect(undone).rejects.toThrow('it has ended')
    expect(await all()).toMatchObject([{ outcome: 400, code: 'JOB_NOT_RUNNING', ids: { job_id: 'j' } }])
  })

  test('the entry is part of the transaction of the work: both are stored or neither', async () => {
    const atomic = { ...work, isAtomic: true }
    const begin = (isRefused: boolean) =>
      logOf().carryOut('startTraining', atomic, async (audited) => {
        expect(await all()).toEqual([])
        return database.transaction().execute(async (transaction) => {
          await audited({ job_id: 'new' }, transaction)
          if (isRefused) throw new AppError('QUEUE_FULL', { english: 'too many wait' })
        })
      })
    await expect(begin(true)).rejects.toThrow('too many wait')
    expect(await all()).toMatchObject([{ outcome: 400, code: 'QUEUE_FULL', ids: { job_id: 'j' } }])
    await database.deleteFrom('audit').execute()
    await begin(false)
    expect(await all()).toMatchObject([{ outcome: 200, code: null, ids: { job_id: 'new' } }])
  })

  test('an outcome is written only once', async () => {
    const number = await repository.append({
      ...{ created_at: new Date().toISOString(), user: null, token_id: null, operation: 'x', ids: {} },
      ...{ outcome: null, code: null, address: 'a', request_id: 'r' },
    })
    await repository.complete(number, { outcome: 200, code: null, ids: {} })
    await repository.complete(number, { outcome: 500, code: 'INTERNAL', ids: {} })
    expect(await all()).toMatchObject([{ outcome: 200, code: null }])
  })

  test('entries older than the setting are removed', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    for (const days of [3, 0.5])
      await repository.append({
        ...{ created_at: daysAgo(days), user: null, token_id: null, operation: `${days} days`, ids: {} },
        ...{ outcome: 200, code: null, address: 'a', request_id: 'r' },
      })
    const log = logOf(1)
    log.start()
    await until(async () => (await all()).length === 1)
    expect((await all())[0]?.operation).toBe('0.5 days')
    log.close()
  })
})
