/** @module-tag service */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AuditEntry,
  CreatedToken,
  Job,
  JobResponse,
  Role,
  WorkflowRecord,
  WorkflowResponse,
} from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { draw } from '../../testing/draw.js'
import { HAS_POSTGRES } from '../../testing/postgres-server.js'
import { type ServiceProcess, ServiceProcesses } from '../../testing/service-processes.js'
import { until } from '../../testing/training/until.js'

/** Address of the caller, from a proxy that both API processes trust. */
const CALLER = '203.0.113.7'
const TOKEN_ENDED = 4401
const TRAINING = 'batches=40 delay=50'

describe.skipIf(!HAS_POSTGRES())('users of two API processes and a controller', () => {
  let processes: ServiceProcesses
  let first: ServiceProcess
  let second: ServiceProcess
  const tokens = new Map<string, CreatedToken>()

  const as = (user: string) => ({
    authorization: `Bearer ${tokens.get(user)?.secret}`,
    'x-forwarded-for': CALLER,
  })
  const create = async (user: string, role: Role) => {
    const request = { user, role, name: 'test' }
    const { status, body } = await first.send<CreatedToken>(
      'POST',
      '/api/tokens',
      request,
      tokens.size > 0 ? as('root') : {},
    )
    expect(status).toBe(200)
    tokens.set(user, body)
  }
  const auditOf = async (operation: string) => {
    const path = `/api/audit?operation=${operation}`
    return (await first.send<{ entries: AuditEntry[] }>('GET', path, undefined, as('root'))).body.entries
  }
  const train = async (user: string) => {
    const request = { config: processes.place.config({ epochs: 50 }), job_name: TRAINING }
    return (await first.send<JobResponse>('POST', '/api/training/start', request, as(user))).body.job_id
  }

  beforeAll(async () => {
    processes = await ServiceProcesses.create()
    writeFileSync(join(processes.place.root, 'train.csv'), '"case_id","age","label"\n"1","40","yes"\n')
    const api = () => processes.start('api', '--trusted-proxy', '127.0.0.1')
    ;[, first, second] = await Promise.all([processes.start('controller'), api(), api()])
    await create('root', 'admin')
    // The other process requires a token as soon as it has seen that one exists.
    await until(async () => (await second.send('GET', '/api/models')).status === 401)
    await create('ann', 'run')
    await create('bob', 'run')
    await create('eve', 'run')
  }, 120_000)
  afterAll(() => processes?.remove())

  it('work of the controller for a user belongs to them, and the audit log contains their address', async () => {
    const drawn = draw({ load: ['LoadTabular', { path: join(processes.place.root, 'train.csv') }] }, [])
    const created = await second.send<WorkflowResponse>('POST', '/api/workflow/create', drawn, as('ann'))
    expect(created.status).toBe(200)
    const { workflow_id } = created.body
    const list = await first.send<{ workflows: WorkflowRecord[] }>(
      'GET',
      '/api/workflow',
      undefined,
      as('bob'),
    )
    expect(list.body.workflows).toMatchObject([{ workflow_id, owner: 'ann' }])
    const document = JSON.stringify({ path: '/t.csv', readiness: { status: 'ready', checks: [] } })
    const row = `'d', '/t.csv', '${document}', '${document}', 'ann', '2026-01-01T00:00:00.000Z'`
    await processes.query(
      `INSERT INTO datasets (dataset_id, path, record, summary, owner, created_at) VALUES (${row})`,
    )
    const datasetsOf = async (owner: string) =>
      (await first.send<{ datasets: unknown[] }>('GET', `/api/datasets?owner=${owner}`, undefined, as('bob')))
        .body.datasets
    expect([await datasetsOf('ann'), await datasetsOf('me')]).toMatchObject([[{ owner: 'ann' }], []])
    expect(await auditOf('createWorkflow')).toMatchObject([
      {
        user: 'ann',
        token_id: tokens.get('ann')?.token_id,
        address: CALLER,
        outcome: 200,
        ids: { workflow_id },
      },
    ])
    const path = `/api/workflow/${workflow_id}`
    const refused = await first.send<{ code: string }>('DELETE', path, undefined, as('bob'))
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
    await expect
      .poll(() => auditOf('deleteWorkflow'))
      .toMatchObject([{ user: 'bob', address: CALLER, outcome: 403 }])
    expect((await first.send('DELETE', path, undefined, as('ann'))).status).toBe(200)
  })

  it('refusals are counted by the address of the caller, not of the process in between', async () => {
    const from = (address: string) => ({ ...as('bob'), 'x-forwarded-for': address })
    const jobId = await train('ann')
    const path = `/api/training/${jobId}`
    for (let count = 0; count < 12; count++) await first.send('DELETE', path, undefined, from('203.0.113.8'))
    await first.send('DELETE', path, undefined, from('203.0.113.9'))
    const addresses = async () => new Set((await auditOf('deleteJob')).map(({ address }) => address))
    await expect.poll(addresses).toEqual(new Set(['203.0.113.8', '203.0.113.9']))
    await first.send('POST', `${path}/stop`, undefined, as('ann'))
  })

  it('an insufficient role for an operation of the controller is refused', async () => {
    const quota = { max_running_jobs: 9 }
    const { status, body } = await first.send<{ code: string }>('PUT', '/api/users/bob', quota, as('bob'))
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  })

  it('a job that one process accepts for a user can be stopped by only that user through another', async () => {
    const jobId = await train('ann')
    const job = async () =>
      (await second.send<Job>('GET', `/api/training/${jobId}/status`, undefined, as('bob'))).body
    await expect.poll(async () => (await job()).status).toBe('running')
    expect(await job()).toMatchObject({ owner: 'ann' })
    const stop = `/api/training/${jobId}/stop`
    expect((await second.send('POST', stop, undefined, as('bob'))).status).toBe(403)
    expect((await second.send('POST', stop, undefined, as('ann'))).status).toBe(200)
    expect((await job()).status).toBe('stopped')
  })

  it('a token that one process revokes is refused by the others at once, with its logins and sockets', async () => {
    const jobId = await train('root')
    const byLogin = { cookie: await logIn(second, tokens.get('eve')?.secret ?? ''), origin: second.address }
    const models = async (headers: Record<string, string>) =>
      (await second.send('GET', '/api/models', undefined, headers)).status
    expect([await models(as('eve')), await models(byLogin)]).toEqual([200, 200])
    const ofJob = await open(second, `/ws/training/${jobId}`, as('eve'))
    const relayed = await open(second, '/ws/service', byLogin)
    const other = { cookie: await logIn(second, tokens.get('eve')?.secret ?? ''), origin: second.address }
    const loggedOut = await open(second, '/ws/service', other)
    await first.send('POST', '/api/logout', undefined, { cookie: other.cookie })
    expect(await loggedOut.closed).toBe(TOKEN_ENDED)
    expect(relayed.socket.readyState).toBe(WebSocket.OPEN)
    const others = await open(second, '/ws/service', as('ann'))

    await first.send('DELETE', `/api/tokens/${tokens.get('eve')?.token_id}`, undefined, as('root'))
    expect([await models(as('eve')), await models(byLogin)]).toEqual([401, 401])
    // Nothing else closes them: the training takes longer than this test may.
    expect(await Promise.all([ofJob.closed, relayed.closed])).toEqual([TOKEN_ENDED, TOKEN_ENDED])
    expect(others.socket.readyState).toBe(WebSocket.OPEN)
    others.socket.close()
    await first.send('POST', `/api/training/${jobId}/stop`, undefined, as('root'))
  })
})

/** @returns the cookie */
async function logIn(process: ServiceProcess, token: string): Promise<string> {
  const response = await fetch(`${process.address}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return cookie
}

/** A socket that has received its first message. */
async function open(process: ServiceProcess, path: string, headers: Record<string, string>) {
  const socket = new WebSocket(process.address.replace('http', 'ws') + path, { headers })
  const closed = new Promise<number>((done) => socket.on('close', done))
  await new Promise((done, fail) => {
    socket.once('message', done)
    socket.once('error', fail)
  })
  return { socket, closed }
}
