import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../program.js'

it.each([
  ['jobs', 'download', 'latest', 'reports/out.html'],
  ['models', 'export', 'latest', '--output', 'out.html'],
  ['models', 'predict', 'latest', 'cases.csv', '--output', 'out.html'],
  ['models', 'card', 'latest', '--output', 'out.html'],
])('%s %s refuses a file that exists, before it connects to a service', async (...words) => {
  const cwd = mkdtempSync(join(tmpdir(), 'medloom-output-'))
  writeFileSync(join(cwd, 'out.html'), 'mine')
  let printed = ''
  const stderr = new PassThrough().on('data', (text) => {
    printed += text
  })
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr }
  // Nothing listens on this port.
  const env = { MEDLOOM_URL: 'http://127.0.0.1:9' }
  const code = await runCommandLine(['node', 'medloom', ...words], {
    ...streams,
    ...{ env, cwd, onInterrupt: () => () => {} },
  })
  expect([code, printed]).toEqual([2, expect.stringContaining('out.html already exists.')])
  expect(readFileSync(join(cwd, 'out.html'), 'utf8')).toBe('mine')
})
