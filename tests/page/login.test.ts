import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const TOKEN = 'correct-horse-battery-staple-4711'
const folder = temporaryFolder('login')
let service: RunningService

beforeAll(async () => {
  if (!shared) return
  writeFileSync(join(folder, 'token'), TOKEN)
  service = await startService({ roots: [folder], arguments: ['--token-file', join(folder, 'token')] })
})
afterAll(async () => {
  await service?.stop()
  for (const made of [folder, service?.dataDir ?? folder]) rmSync(made, { recursive: true, force: true })
})
// The page sends requests before anybody has logged in; its sockets are refused.
const REFUSED = [/status of 401/, /WebSocket connection to .* failed/]

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
  expect(await send('POST', '/api/login', { token: TOKEN })).toBe(200)
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
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(TOKEN)
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
  await token.fill(TOKEN)
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
    await token.fill(TOKEN)
    // In another tab.
    const login = await page.context().request.post('/api/login', { data: { token: TOKEN } })
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
