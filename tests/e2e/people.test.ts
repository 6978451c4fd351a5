import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEntry, CreatedToken, Session, Token, User } from '@medloom/contracts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'

const folder = temporaryFolder('people')
const dataDir = temporaryFolder('people-data')
let service: RunningService
let command: MedloomCommand
const medloom = (...args: string[]) => command.run(...args)
/** Runs a command with the token in this file. */
const as = (file: string, ...args: string[]) => medloom(...args, '--token-file', join(folder, file))

beforeAll(async () => {
  service = await startService({ roots: [folder], dataDir })
  command = new MedloomCommand(folder, { MEDLOOM_URL: service.url, MEDLOOM_TOKEN_FILE: '' })
})
afterAll(async () => {
  await service.stop()
  // The process that creates the example outlives the killed service, and writes until it has finished.
  for (const made of [folder, dataDir])
    await vi.waitFor(() => rmSync(made, { recursive: true, force: true }), { timeout: 30_000 })
})

it('the first token closes the service, and users get the remedy', async () => {
  expect((await medloom('whoami')).stdout).toBe('local, admin; the service requires no token\n')
  const refused = await medloom('tokens', 'create', 'root', '--role', 'run')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('[FIRST_TOKEN_ADMIN]')])

  const { code, stdout } = await medloom('tokens', 'create', 'root', '--role', 'admin', '--out', 'root.token')
  expect([code, stdout]).toEqual([0, expect.stringContaining('root.token')])
  const file = join(folder, 'root.token')
  const secret = readFileSync(file, 'utf8').trim()
  expect([secret, statSync(file).mode & 0o777]).toEqual([expect.stringMatching(/^mdl_[\w-]{43}$/), 0o600])
  expect(stdout).not.toContain(secret)

  const nobody = await medloom('jobs', 'ls')
  expect(nobody.code).toBe(5)
  expect(nobody.stderr).toMatch(/\[UNAUTHORIZED\][\s\S]*MEDLOOM_TOKEN/)
  expect((await as('root.token', 'whoami')).stdout).toBe('root, admin\n')
  const { stdout: whoami } = await new MedloomCommand(folder, {
    MEDLOOM_URL: service.url,
    MEDLOOM_TOKEN: secret,
  }).run('whoami', '--json')
  expect(JSON.parse(whoami) as Session).toMatchObject({ user: 'root', role: 'admin' })

  const again = await as('root.token', 'tokens', 'create', 'bob', '--out', 'root.token')
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('new file in a folder')])
})

it('a user with a token sees the users, is refused what the role does not allow, and is removed', async () => {
  const created = await as(
    'root.token',
    'tokens',
    'create',
    'bob',
    '--name',
    'laptop',
    '--days',
    '9',
    '--json',
  )
  const { secret, token_id } = JSON.parse(created.stdout) as CreatedToken
  const bob = new MedloomCommand(folder, { MEDLOOM_URL: service.url, MEDLOOM_TOKEN: secret })
  expect((await bob.run('jobs', 'ls', '--owner', 'me')).code).toBe(0)
  const refused = await bob.run('tokens', 'ls')
  expect(refused.code).toBe(5)
  expect(refused.stderr).toMatch(/role admin[\s\S]*\[FORBIDDEN\][\s\S]*ask an administrator/)

  const set = await as('root.token', 'users', 'set', 'bob', '--running', '2', '--json')
  expect(JSON.parse(set.stdout) as User).toMatchObject({ max_running_jobs: 2, max_queued_jobs: null })
  expect((await bob.run('users', 'ls')).stdout).toMatch(/bob +run +0 of 2 +0\b/)

  expect((await as('root.token', 'tokens', 'revoke', token_id)).stdout).toContain(
    '"laptop" of bob was revoked',
  )
  expect((await bob.run('jobs', 'ls')).code).toBe(5)
  const list = await as('root.token', 'tokens', 'ls', '--json')
  const { tokens } = JSON.parse(list.stdout) as { tokens: Token[] }
  expect(tokens.map(({ user, revoked_at }) => [user, revoked_at !== null])).toEqual([
    ['bob', true],
    ['root', false],
  ])
  const audit = await as('root.token', 'audit', 'ls', '--operation', 'revokeToken')
  expect(audit.stdout).toMatch(new RegExp(`root +revokeToken +token_id=${token_id}.* +200 +127`))
})

it('what a killed service was doing is in the audit log, without an outcome', async () => {
  const headers = { authorization: `Bearer ${readFileSync(join(folder, 'root.token'), 'utf8').trim()}` }
  const making = new Caller(service.url)
    .post('/api/datasets/example', undefined, headers)
    .catch(() => undefined)
  const entries = async () =>
    (
      await new Caller(service.url).get<{ entries: AuditEntry[] }>(
        '/api/audit?operation=makeExample',
        headers,
      )
    ).body.entries
  await eventually(entries, ({ length }) => length > 0, { every: 5 })
  expect(existsSync(join(dataDir, 'uploads/.example'))).toBe(false)
  await service.kill()
  await making
  service = await startService({ roots: [folder], dataDir })
  expect(await entries()).toMatchObject([
    { operation: 'makeExample', user: 'root', outcome: null, code: null },
  ])
})
