import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommandLine } from './program.js'

const RUNNING = {
  task_id: 'task',
  state: 'running',
  progress: 0.5,
  phase: 'predicting',
  error: null,
  result: null,
}
let server: Server

beforeAll(async () => {
  server = createServer((request, response) => {
    const cancelled = request.url?.endsWith('/cancel')
    response.setHeader('content-type', 'application/json')
    response.statusCode = request.url?.includes('wait=false') ? 202 : 200
    response.end(JSON.stringify(cancelled ? { ...RUNNING, state: 'cancelled' } : RUNNING))
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
})
afterAll(() => server.close())

/** A terminal whose output is recorded, and at which Ctrl-C is pressed as soon as a command waits for it. */
function recorded(env: Record<string, string>) {
  const output = { stdout: '', stderr: '' }
  const record = (name: 'stdout' | 'stderr') =>
    new PassThrough().on('data', (text) => {
      output[name] += text
    })
  const onInterrupt = (listener: () => void) => {
    setImmediate(listener)
    return () => {}
  }
  const streams = { stdin: new PassThrough(), stdout: record('stdout'), stderr: record('stderr') }
  return { terminal: { ...streams, env, cwd: '/', onInterrupt }, output }
}

const run = (words: string[], { terminal }: ReturnType<typeof recorded>) =>
  runCommandLine(['node', 'medloom', ...words], terminal)

it('Ctrl-C cancels an evaluation, and its exit status is 130', async () => {
  const { port } = server.address() as AddressInfo
  const own = recorded({ MEDLOOM_URL: `http://127.0.0.1:${port}` })
  expect(await run(['models', 'evaluate', 'model'], own)).toBe(130)
  expect(own.output).toEqual({ stdout: '', stderr: 'canceled\n' })
})

it('command lines that run at the same time write to their own streams', async () => {
  const [first, second] = [recorded({}), recorded({ MEDLOOM_URL: 'nonsense' })]
  expect(await Promise.all([run(['jobs', '--help'], first), run(['jobs', 'ls', '--json'], second)])).toEqual([
    0, 2,
  ])
  expect(first.output).toEqual({ stdout: expect.stringContaining('Usage: medloom jobs'), stderr: '' })
  expect(second.output.stdout).toBe('')
  expect(JSON.parse(second.output.stderr)).toMatchObject({ code: 'USAGE', exit_code: 2 })
})

it('serve lists its flags, and refuses a flag that it does not know', async () => {
  const [listed, refused] = [recorded({}), recorded({})]
  expect(await run(['serve', '--help'], listed)).toBe(0)
  for (const word of ['--port', 'MEDLOOM_PORT', '--root', '--token-file'])
    expect(listed.output.stdout).toContain(word)
  expect(await run(['serve', '--prot', '1'], refused)).toBe(2)
  expect(refused.output.stderr).toContain('--port')
})
