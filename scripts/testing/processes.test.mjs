import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PATIENCE } from './patience.mjs'

const RUNNER = `
  import { endOnSignal, runProcess } from ${JSON.stringify(new URL('processes.mjs', import.meta.url).href)}
  const TMPDIR = process.env.FOLDER
  endOnSignal(TMPDIR)
  const program = 'import("node:child_process").then(({ spawn }) => { ' +
    'const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" }); console.log(child.pid); setInterval(() => {}, 1000) })'
  await runProcess([process.execPath, '-e', program], { env: { ...process.env, TMPDIR }, onOutput: (text) => console.log(text) })
`

/** A process that has ended may remain until its status is read. */
const isRunning = (pid) =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

it.runIf(process.platform === 'linux')(
  'an interrupted run leaves no process behind, whichever group it is in, and no temporary file',
  async () => {
    const FOLDER = mkdtempSync(join(tmpdir(), 'medloom-'))
    const runner = spawn(process.execPath, ['--input-type=module', '-e', RUNNER], {
      env: { ...process.env, FOLDER },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [pid] = String(await once(runner.stdout, 'data')).match(/\d+/) ?? []
    expect(isRunning(pid)).toBe(true)
    runner.kill('SIGTERM')
    expect(await once(runner, 'exit')).toEqual([143, null])
    await expect.poll(() => isRunning(pid), { timeout: PATIENCE.poll }).toBe(false)
    expect(existsSync(FOLDER)).toBe(false)
  },
)
