/** @module-tag service */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.js'
import { startTestService, testSettings } from '../../testing/service.js'
import { workerProgram } from '../../testing/worker-program.js'

const ADMIN = 'a-token-of-an-administrator-0123456789'

let service: Awaited<ReturnType<typeof startTestService>>
let id = ''
/** Tokens of one user, who owns the dataset: with the permission for identifiers, and without it. */
let full = ''
let limited = ''

async function call(method: 'POST' | 'PATCH' | 'GET', url: string, token: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` }
  return service.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
}

beforeAll(async () => {
  const settings = testSettings()
  const root = settings.roots[0] ?? ''
  const tokenFile = join(root, 'token')
  writeFileSync(tokenFile, ADMIN)
  // Proposes that mrn identifies patients, unless a role is chosen.
  const python = workerProgram(
    root,
    `if (request.task !== 'inspect') return
     const { path, roles = {} } = request.params
     const column = (name, role) => ({ name, role, missing: 0, distinct: 1, reason: '' })
     reply({ type: 'result', id: request.id, result: {
       path, kind: 'tabular', columns: [column('mrn', roles.mrn ?? 'id'), column('label', 'label')], num_cases: 1, num_patients: null,
       task: 'classification', classes: [], positive_class: null, missing: {}, splits: {}, digest: path, readiness: { status: 'ready', checks: [] } } })`,
  )
  service = await startTestService({ ...settings, python, tokenFile })
  full = await tokenOf({ identifiers: true })
  limited = await tokenOf({ identifiers: false })
})
afterAll(() => service.close())

async function tokenOf(permission: { identifiers: boolean }): Promise<string> {
  const token = { user: 'ann', name: JSON.stringify(permission), role: 'run', ...permission }
  return (await call('POST', '/api/tokens', ADMIN, token)).json().secret
}

/** Registers a new table. Returns the path of an identical one. */
async function registered(name: string, roles: Record<string, string>): Promise<string> {
  const moved = `moved-${name}`
  for (const table of [name, moved]) writeFileSync(join(service.root, table), 'mrn,label\nA1,1\n')
  id = (await call('POST', '/api/datasets', full, { path: name, roles })).json().dataset_id
  return moved
}

test('roles that show a column are not carried to other files by a token without identifiers', async () => {
  const path = await registered('shown.csv', { mrn: 'categorical' })
  const moved = await call('PATCH', `/api/datasets/${id}`, limited, { path })
  expect([moved.statusCode, moved.json().code]).toEqual([403, 'FORBIDDEN'])
  expect((await call('GET', `/api/datasets/${id}`, full)).json().path).toBe(join(service.root, 'shown.csv'))
})

test('a column that was masked stays masked at the new path of its dataset', async () => {
  const path = await registered('masked.csv', {})
  const shown = await call('PATCH', `/api/datasets/${id}`, limited, { path, roles: { mrn: 'categorical' } })
  expect([shown.statusCode, shown.json().code]).toEqual([403, 'FORBIDDEN'])
  const moved = await call('PATCH', `/api/datasets/${id}`, limited, { path })
  expect(moved.json()).toMatchObject({ path: join(service.root, path), columns: [{ role: 'id' }, {}] })
})

test('a preview does not show a column to a token without identifiers', async () => {
  writeFileSync(join(service.root, 'new.csv'), 'mrn,label\nA1,1\n')
  const request = { path: 'new.csv', roles: { mrn: 'categorical' } }
  const started = await call('POST', '/api/datasets/inspect?wait=false', limited, request)
  const { task_id } = started.json()
  await eventually(
    async () => (await call('GET', `/api/tasks/${task_id}`, limited)).json().state === 'completed',
  )
  const preview = await call('POST', '/api/datasets/preview', limited, { ...request, inspection: task_id })
  expect([preview.statusCode, preview.json().code]).toEqual([403, 'FORBIDDEN'])
  const other = await call('POST', '/api/datasets/preview', limited, { path: 'new.csv', inspection: task_id })
  expect([other.statusCode, other.json().code]).toEqual([404, 'TASK_NOT_FOUND'])
})
