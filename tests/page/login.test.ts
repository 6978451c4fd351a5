import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startService, temporaryFolder } from '../testing/service.js'
import { expectAccessible, expectNarrow } from './testing/looks.js'
import { test } from './testing/test.js'

const TOKEN = 'correct-horse-battery-staple-4711'

test('the cookie of a login is good for requests, images and sockets, and no script sees it', async ({
  open,
  expected,
}) => {
  const folder = temporaryFolder('login')
  writeFileSync(join(folder, 'token'), TOKEN)
  const service = await startService({ roots: [folder], arguments: ['--token-file', join(folder, 'token')] })
  // The page asks before anybody has logged in; the socket of a job that does not exist is refused.
  expected.push(/status of 401/, /WebSocket connection to .* failed/)
  const page = await open('/', { url: service.url })
  const ask = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([method, path, body]) => {
        const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body }
        return (await fetch(path, { method, ...init })).status
      },
      [method, path, body && JSON.stringify(body)] as [string, string, string | undefined],
    )
  expect(await ask('GET', '/api/models')).toBe(401)
  expect(await ask('POST', '/api/login', { token: 'wrong' })).toBe(401)
  expect(await ask('POST', '/api/login', { token: TOKEN })).toBe(200)
  expect(await ask('GET', '/api/models')).toBe(200)
  expect(await ask('POST', '/api/workflow/create', { name: 'made in a browser' })).toBe(200)
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
  expect(await ask('GET', '/api/models')).toBe(200)
  expect(await ask('POST', '/api/logout')).toBe(200)
  expect(await ask('GET', '/api/models')).toBe(401)
  await page.close()
  await service.stop()
  for (const made of [folder, service.dataDir]) rmSync(made, { recursive: true, force: true })
})

test('a reader logs in on the page, and is where they wanted to be', async ({ open, expected }) => {
  const folder = temporaryFolder('login-form')
  writeFileSync(join(folder, 'token'), TOKEN)
  const service = await startService({ roots: [folder], arguments: ['--token-file', join(folder, 'token')] })
  expected.push(/status of 401/, /WebSocket connection to .* failed/)
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
  await page.close()
  await service.stop()
  for (const made of [folder, service.dataDir]) rmSync(made, { recursive: true, force: true })
})
