/** @module-tag service */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { PrewarmedTrainer } from './prewarmed-trainer.js'
import { identify, MARK_VARIABLE, processState, signalFamily } from './process-identity.js'
import { adoptedProcess } from './trainer-process.js'

const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), 'medloom-process-'))
const start = (script: string, mark = 'm') => {
  const env = { ...process.env, [MARK_VARIABLE]: mark }
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  return child
}
const SLEEP = 'setInterval(() => {}, 1000); console.log("up")'
const up = async (child: ChildProcess) => String((await once(child.stdout ?? child, 'data'))[0]).trim()
const identityOf = async (child: ChildProcess, mark = 'm') => {
  const identity = await identify(child.pid ?? 0, mark)
  if (!identity) throw new Error('no such process')
  return identity
}
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('a process', () => {
  it('is the same as long as it lives, and no other with its pid is', async () => {
    const child = start(SLEEP)
    await up(child)
    const identity = await identityOf(child)
    expect(await processState(identity)).toBe('running')
    expect(await processState({ ...identity, started: '1' })).toBe('gone')
    expect(await processState({ ...identity, boot: 'before the restart' })).toBe('gone')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await processState(identity)).toBe('gone')
  })

  it.runIf(process.platform === 'linux')('that is only a zombie counts as dead', async () => {
    // The shell starts a child, becomes a program that never asks how it ended, and so leaves a zombie.
    const shell = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(shell)
    const pid = Number(await up(shell))
    const identity = await identify(pid, 'm')
    await delay(300)
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
    expect(identity && (await processState(identity))).toBe('gone')
    expect(await identify(pid, 'm')).toBeNull()
  })

  it('that somebody else started is noticed to be gone', async () => {
    const child = start(SLEEP)
    await up(child)
    const adopted = adoptedProcess({ launcher: 'local', ...(await identityOf(child)) }, 20)
    expect(await Promise.race([adopted.gone, delay(100, 'alive')])).toBe('alive')
    child.kill('SIGKILL')
    expect(await adopted.gone).toContain('not known')
  })
})

describe('a signal to the family', () => {
  it('reaches what the process started, also in sessions of their own', async () => {
    const mark = `family ${process.pid}`
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
      console.log(child.pid); setInterval(() => {}, 1000)`
    const child = start(script, mark)
    const grandchild = await identify(Number(await up(child)), mark)
    expect(grandchild && (await processState(grandchild))).toBe('running')
    await signalFamily(await identityOf(child, mark), 'SIGKILL')
    await once(child, 'exit')
    await delay(100)
    if (process.platform === 'linux') expect(grandchild && (await processState(grandchild))).toBe('gone')
  })

  it('spares a process that merely got the pid', async () => {
    const child = start(SLEEP, 'new owner')
    await up(child)
    const identity = await identityOf(child, 'new owner')
    await signalFamily({ ...identity, started: '1', mark: 'old owner' }, 'SIGKILL')
    await delay(50)
    expect(await processState(identity)).toBe('running')
  })
})

describe('the prewarmed trainer', () => {
  const python = join(import.meta.dirname, '../../../testing/training/trainer.mjs')
  const logFile = join(folder, 'logs/prewarmed.log')

  it('is ready before it is needed, is replaced a little later, and exits unused', async () => {
    const prewarmed = new PrewarmedTrainer({ python, logFile, respawnMilliseconds: 50 })
    prewarmed.warm()
    await delay(100)
    const first = await prewarmed.take()
    expect(await first.trainer.state()).toBe('running')
    await delay(200)
    const second = await prewarmed.take()
    expect(second.trainer.handle.pid).not.toBe(first.trainer.handle.pid)
    first.dismiss()
    second.dismiss()
    expect(await first.trainer.gone).toBe('exit code 0')
    expect(await second.trainer.gone).toBe('exit code 0')
    prewarmed.close()
    expect(existsSync(logFile)).toBe(true)
  })

  it('that died is replaced by one started on the spot', async () => {
    const dying = join(folder, 'dies-once.sh')
    const flag = join(folder, 'died')
    writeFileSync(
      dying,
      `#!/bin/sh\nif [ ! -e "${flag}" ]; then touch "${flag}"; exit 1; fi\nexec "${python}"\n`,
      { mode: 0o755 },
    )
    const prewarmed = new PrewarmedTrainer({ python: dying, logFile })
    prewarmed.warm()
    await delay(200)
    expect(existsSync(flag)).toBe(true)
    const trainer = await prewarmed.take()
    expect(await trainer.trainer.state()).toBe('running')
    trainer.dismiss()
    await trainer.trainer.gone
    prewarmed.close()
  })

  it('says PYTHON_UNAVAILABLE when there is nothing to start', async () => {
    const prewarmed = new PrewarmedTrainer({ python: join(folder, 'nothing'), logFile })
    prewarmed.warm()
    await expect(prewarmed.take()).rejects.toMatchObject({ code: 'PYTHON_UNAVAILABLE' })
    prewarmed.close()
    rmSync(folder, { recursive: true })
  })
})
