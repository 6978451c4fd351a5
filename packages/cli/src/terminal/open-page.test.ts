import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { browserCommand, openPage, reachable } from './open-page.js'

const desktop = { platform: 'linux', env: { DISPLAY: ':0' }, isTerminal: true } as const

test.each([
  [{ platform: 'darwin', env: {} }, ['open']],
  [{ platform: 'win32', env: {} }, ['cmd', '/c', 'start', '""']],
  [{}, ['xdg-open']],
  [{ env: { WAYLAND_DISPLAY: 'wayland-0' } }, ['xdg-open']],
  [{ env: {} }, null],
  [{ platform: 'freebsd' }, null],
  [{ isTerminal: false }, null],
  [{ platform: 'darwin', isTerminal: false }, null],
] as const)('%j is opened by %j', (given, command) =>
  expect(browserCommand({ ...desktop, ...given })).toEqual(command),
)

test.each([
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['http://0.0.0.0:8000', 'http://127.0.0.1:8000'],
  ['http://[::]:8000', 'http://127.0.0.1:8000'],
  ['http://trainer.example.org:80', 'http://trainer.example.org:80'],
])('%s is opened as %s', (address, opened) => expect(reachable(address)).toBe(opened))

test('the program receives the address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-open-'))
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\necho "$@" > ${folder}/opened.part && mv ${folder}/opened.part ${folder}/opened\n`,
  )
  chmodSync(join(folder, 'xdg-open'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  expect(openPage('http://127.0.0.1:8000', desktop)).toBe(true)
  vi.unstubAllEnvs()
  await expect.poll(() => existsSync(join(folder, 'opened'))).toBe(true)
  expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe('http://127.0.0.1:8000\n')
})

test('a desktop without that program is not a failure', async () => {
  vi.stubEnv('PATH', '/no/such/folder')
  expect(openPage('http://127.0.0.1:8000', desktop)).toBe(true)
  vi.unstubAllEnvs()
  // An unhandled error event would end the process in the next turn.
  await new Promise((resume) => setImmediate(resume))
})
