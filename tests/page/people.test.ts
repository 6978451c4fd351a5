import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedToken, Role, Session } from '@medloom/contracts'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { workflow as draw } from '../testing/workflow.js'
import { expectDialog } from './testing/dialog.js'
import { SMALL } from './testing/fitting.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const folder = temporaryFolder('people-page')
let service: RunningService
const tokens = new Map<string, CreatedToken>()

beforeAll(async () => {
  if (!shared) return
  service = await startService({ roots: [folder], trainer: 'recorded' })
  await createToken('root', 'admin')
})
afterAll(async () => {
  await service?.stop()
  for (const made of [folder, service?.dataDir ?? folder]) rmSync(made, { recursive: true, force: true })
})
// The page sends requests before anybody has logged in; its sockets are refused.
const REFUSED = [/status of 40[13]/, /WebSocket connection to .* failed/]

async function createToken(user: string, role: Role): Promise<CreatedToken> {
  const secret = tokens.get('root')?.secret
  const headers: Record<string, string> = secret ? { authorization: `Bearer ${secret}` } : {}
  const request = { user, role, name: 'workstation' }
  const { body } = await new Caller(service.url).post<CreatedToken>('/api/tokens', request, headers)
  tokens.set(user, body)
  return body
}

const secretOf = (user: string) => tokens.get(user)?.secret ?? ''

/** Logs in on the page of the service. */
async function logIn(page: Page, user: string): Promise<void> {
  await page.getByLabel('Token').fill(secretOf(user))
  await page.keyboard.press('Enter')
}

test('the cookie of a login is good for requests, images and sockets, and no script sees it', async ({
  open,
  expected,
}) => {
  expected.push(...REFUSED)
  const page = await open('/', { url: service.url })
  const send = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([method, path, body]) => {
        const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body }
        return (await fetch(path, { method, ...init })).status
      },
      [method, path, body && JSON.stringify(body)] as [string, string, string | undefined],
    )
  expect(await send('GET', '/api/models')).toBe(401)
  expect(await send('POST', '/api/login', { token: 'wrong' })).toBe(401)
  expect(await send('POST', '/api/login', { token: secretOf('root') })).toBe(200)
  expect(await send('GET', '/api/models')).toBe(200)
  expect(await send('POST', '/api/workflow/create', { name: 'made in a browser' })).toBe(200)
  const [workflow] = (await page.evaluate(async () => (await fetch('/api/workflow')).json())).workflows as {
    workflow_id: string
  }[]
  const message = await page.evaluate(
    (path) =>
      new Promise<string>((done, fail) => {
        const socket = new WebSocket(path)
        socket.onmessage = ({ data }) => done(String(data))
        socket.onclose = () => fail(new Error('closed'))
      }),
    `/ws/workflow/${workflow?.workflow_id}`,
  )
  expect(JSON.parse(message)).toHaveProperty('type')
  expect(await page.evaluate(() => document.cookie)).toBe('')
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(
    secretOf('root'),
  )
  await page.reload()
  expect(await send('GET', '/api/models')).toBe(200)
  expect(await send('POST', '/api/logout')).toBe(200)
  expect(await send('GET', '/api/models')).toBe(401)
})

test('a reader logs in on the page, and is where they wanted to be', async ({ open, expected }) => {
  expected.push(...REFUSED)
  const page = await open('/runs', { url: service.url })
  const token = page.getByLabel('Token')
  await token.fill('not-the-token')
  await page.keyboard.press('Enter')
  await page.getByText('LOGIN_FAILED').waitFor()
  await expectAccessible(page)
  await expectNarrow(page)
  await token.fill(secretOf('root'))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
})

test('an answer that comes late ends no login form: it stays, with what was typed, until somebody logs in', async ({
  open,
  expected,
}) => {
  expected.push(...REFUSED)
  const page = await open('about:blank', { url: service.url })
  const token = page.getByLabel('Token')
  const logInElsewhere = async (route: Route) => {
    await token.fill(secretOf('root'))
    // In another tab.
    const login = await page.context().request.post('/api/login', { data: { token: secretOf('root') } })
    expect(login.status()).toBe(200)
    await route.continue()
  }
  await page.route('**/api/system/info', logInElsewhere, { times: 1 })
  const late = page.waitForResponse('**/api/system/info')
  await page.goto('/')
  expect((await late).status()).toBe(200)
  await token.press('Enter')
  await page.getByText('Nothing is running.').waitFor()
  await page.getByText('CPU', { exact: true }).waitFor()
})

test('one user alone sees nothing of owners', async ({ open, expected }) => {
  expected.push(...REFUSED)
  const page = await open('about:blank', { url: service.url })
  // Other tests create users.
  await page.route('**/api/users', async (route) => {
    const response = await route.fetch()
    const { users, ...rest } = (await response.json()) as { users?: { user: string }[] }
    const own = users?.filter(({ user }) => user === 'root')
    await route.fulfill({ response, json: { ...rest, users: own } })
  })
  await page.goto('/runs')
  const received = page.waitForResponse((response) => response.url().endsWith('/api/users') && response.ok())
  await logIn(page, 'root')
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await received
  await page.getByRole('button', { name: 'Tag' }).waitFor()
  expect(await page.getByRole('button', { name: 'Owner' }).count()).toBe(0)
})

test('an administrator sees who they are, sets a quota and revokes a token, which ends the login made with it but keeps typed work', async ({
  open,
  expected,
}) => {
  expected.push(...REFUSED)
  await createToken('ann', 'run')
  const page = await open('/system', { url: service.url, viewport: SMALL })
  await logIn(page, 'root')
  await page.getByText('You are logged in as root: administrator.').waitFor()
  const users = page.getByRole('region', { name: 'Users' }).first()
  await users.getByRole('row', { name: /^ann/ }).getByRole('button', { name: 'Set' }).click()
  await page.getByLabel('Maximum running trainings').fill('2')
  await expectDialog(page, page.getByRole('dialog'))
  await page.getByRole('button', { name: 'Save' }).click()
  await users.getByText('0 of 2').waitFor()

  const other = await open('/system', { url: service.url })
  await logIn(other, 'ann')
  await other.getByText('You are logged in as ann: can train, and change own work.').waitFor()
  expect(await other.getByRole('heading', { name: 'Tokens' }).count()).toBe(0)
  await other.goto(`${service.url}/train`)
  await other.getByRole('textbox', { name: 'YAML' }).fill('training:\n  epochs: 3\n')
  await other.getByLabel('Epochs (required)').fill('4')

  const row = page.getByRole('row', { name: /^ann workstation/ })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('its logins end').waitFor()
  await expectDialog(page, page.getByRole('dialog'))
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  await expectAccessible(page)
  await expectNarrow(page)
  // Its socket was closed, and the next request states the reason.
  await logIn(other, 'root')
  expect(await other.getByLabel('Epochs (required)').inputValue()).toBe('4')
})

test('an administrator makes a token, which is shown once and is good at once', async ({
  open,
  expected,
}) => {
  // An invalid user name is refused.
  expected.push(...REFUSED, /status of 400/)
  const page = await open('/system', { url: service.url, viewport: SMALL })
  await logIn(page, 'root')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  const make = dialog.getByRole('button', { name: 'Create' })
  expect(await make.isDisabled()).toBe(true)
  await dialog.getByLabel('User').fill('Eve')
  await dialog.getByLabel('Purpose').fill('laptop')
  await dialog.getByLabel('Expires in (days)').fill('30')
  await dialog.getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: 'read' }).click()
  await make.click()
  await dialog
    .getByRole('alert')
    .getByText(/characters a-z/)
    .first()
    .waitFor()
  await expectDialog(page, dialog)
  await dialog.getByLabel('User').fill('eve')
  await make.click()

  await dialog.getByText('shown only once').waitFor()
  await expectDialog(page, dialog)
  const secret = await dialog.getByLabel('New token').inputValue()
  expect(secret).toMatch(/^mdl_[\w-]{43}$/)
  await dialog.getByRole('button', { name: 'Copy' }).waitFor()
  const headers = { authorization: `Bearer ${secret}` }
  const { body } = await new Caller(service.url).get<Session>('/api/session', headers)
  expect(body).toMatchObject({ user: 'eve', role: 'read' })
  await dialog.getByRole('button', { name: 'Close' }).click()
  const row = page.getByRole('row', { name: /^eve laptop can view everything Active until/ })
  await row.waitFor()
  expect(await page.content()).not.toContain(secret)
})

test('several users narrow the list of trainings by owner', async ({ open, expected }) => {
  expected.push(...REFUSED)
  await createToken('bob', 'read')
  const page = await open('/runs', { url: service.url })
  await logIn(page, 'bob')
  await page.getByRole('button', { name: /Owner/ }).click()
  await page.getByRole('option', { name: 'Mine' }).click()
  await page.waitForURL(/owner=me/)
  await page.getByText('No matching trainings.').waitFor()
  await expectAccessible(page)
  await expectNarrow(page)
})

test('several users see whose the studies, datasets, workflows and their runs are', async ({
  open,
  expected,
}) => {
  expected.push(...REFUSED)
  await createToken('quinn', 'run')
  const { workflowId } = await makeOneOfEach('quinn')
  const page = await open('/studies', { url: service.url })
  await logIn(page, 'root')
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  for (const path of ['/studies', '/data', '/workflows']) {
    await page.goto(service.url + path)
    await page.getByRole('columnheader', { name: 'Owner' }).waitFor()
    await page.getByRole('cell', { name: 'quinn', exact: true }).first().waitFor()
    await expectAccessible(page)
  }
  await page.goto(`${service.url}/workflows/${workflowId}`)
  await page.getByRole('listitem').filter({ hasText: 'quinn' }).waitFor()
})

/** Creates a study, a dataset, and a workflow with a run. */
async function makeOneOfEach(user: string): Promise<{ workflowId: string }> {
  const caller = new Caller(service.url)
  const headers = { authorization: `Bearer ${secretOf(user)}` }
  const post = async <Body>(path: string, body: object) => {
    const response = await caller.post<Body>(path, body, headers)
    expect([path, response.status]).toEqual([path, 200])
    return response.body
  }
  const path = join(makeDataset(join(folder, 'owned'), { cases: 60 }), 'train.csv')
  await post('/api/datasets', { name: 'owned', path })
  const drawn = draw({ data: ['LoadTabular', { path }] }, [])
  const { workflow_id: workflowId } = await post<{ workflow_id: string }>('/api/workflow/create', drawn)
  await post(`/api/workflow/${workflowId}/execute`, {})
  const config = trainingConfig(join(folder, 'owned'), { model: { vision_backbone: 'none' } })
  // Its trainings are only started, so the replay trainer need not train them.
  const study = { name: 'owned delay=1000', seeds: 2, variants: [{ name: 'a' }], config }
  const { study_id } = await post<{ study_id: string }>('/api/studies', study)
  await post(`/api/studies/${study_id}/stop`, {})
  return { workflowId }
}
