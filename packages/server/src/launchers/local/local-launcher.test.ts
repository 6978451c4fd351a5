/** @module-tag service */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ONE_PROCESS } from '../../../testing/training/launcher-contract.js'
import { until } from '../../../testing/training/until.js'
import { SERVICE_LOG } from '../../storage/rotating-log.js'
import { LocalLauncher } from './local-launcher.js'
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
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('a process', () => {
  it('is identified while it lives, and not confused with another one with its pid', async () => {
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

  it.runIf(process.platform === 'linux')('that is a zombie counts as dead', async () => {
    // The shell starts a child and then becomes a program that never collects its exit status, which leaves a zombie.
    const shell = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(shell)
    const pid = Number(await up(shell))
    const identity = await identify(pid, 'm')
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    expect(identity && (await processState(identity))).toBe('gone')
    expect(await identify(pid, 'm')).toBeNull()
  })

  it('that another process started is detected to be gone', async () => {
    const child = start(SLEEP)
    await up(child)
    const adopted = adoptedProcess({ launcher: 'local', ...(await identityOf(child)) }, 20)
    expect(await Promise.race([adopted.gone, delay(100, 'alive')])).toBe('alive')
    child.kill('SIGKILL')
    expect((await adopted.gone).english).toContain('unknown')
  })
})

describe('a signal to the family', () => {
  it('reaches everything that the process started, even in separate sessions', async () => {
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
    if (process.platform === 'linux')
      await until(async () => grandchild !== null && (await processState(grandchild)) === 'gone')
  })

  it('spares another process with the same pid', async () => {
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
  const script = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return path
  }

  it('ends after a while without a job, and the next job has one again', async () => {
    const prewarmed = new PrewarmedTrainer({ python, logFile, idleMilliseconds: 20 })
    prewarmed.warm()
    const first = prewarmed.processId
    expect(first).toBeGreaterThan(0)
    await until(() => prewarmed.processId === null)
    const { trainer, dismiss } = await prewarmed.take()
    expect(await trainer.state()).toBe('running')
    expect(trainer.handle.pid).not.toBe(first)
    dismiss()
    await trainer.gone
    prewarmed.close()
  })

  it('gives each of several jobs a separate process if it becomes the job itself', async () => {
    const prewarmed = new PrewarmedTrainer({ python, logFile })
    prewarmed.warm()
    const taken = await Promise.all([prewarmed.take(), prewarmed.take(), prewarmed.take()])
    expect(new Set(taken.map(({ trainer }) => trainer.handle.pid)).size).toBe(3)
    for (const { dismiss } of taken) dismiss()
    await Promise.all(taken.map(({ trainer }) => trainer.gone))
    prewarmed.close()
  })

  it('is ready before it is needed, is replaced if it becomes the job itself, and exits unused', async () => {
    mkdirSync(dirname(logFile), { recursive: true })
    writeFileSync(logFile, 'x'.repeat(SERVICE_LOG.bytes + 1))
    const prewarmed = new PrewarmedTrainer({ python, logFile, respawnMilliseconds: 50 })
    prewarmed.warm()
    const first = await prewarmed.take()
    expect(await first.trainer.state()).toBe('running')
    const second = await prewarmed.take()
    expect(second.trainer.handle.pid).not.toBe(first.trainer.handle.pid)
    first.dismiss()
    second.dismiss()
    expect((await first.trainer.gone).english).toBe('exit code 0')
    expect((await second.trainer.gone).english).toBe('exit code 0')
    prewarmed.close()
    expect(existsSync(logFile)).toBe(true)
    expect(statSync(logFile).size).toBeLessThan(SERVICE_LOG.bytes)
    expect(statSync(`${logFile}.1`).size).toBe(SERVICE_LOG.bytes + 1)
  })

  it('starts a job even if its log is long and cannot be shortened', async () => {
    const logFile = join(folder, 'blocked/prewarmed.log')
    mkdirSync(`${logFile}.4`, { recursive: true })
    writeFileSync(`${logFile}.3`, 'a file cannot take the place of a folder')
    writeFileSync(logFile, 'x'.repeat(SERVICE_LOG.bytes + 1))
    const prewarmed = new PrewarmedTrainer({ python, logFile })
    prewarmed.warm()
    const { trainer, dismiss } = await prewarmed.take()
    expect(await trainer.state()).toBe('running')
    expect(statSync(logFile).size).toBeGreaterThan(SERVICE_LOG.bytes)
    dismiss()
    await trainer.gone
    prewarmed.close()
  })

  it('that died is replaced by one started on the spot', async () => {
    const flag = join(folder, 'died')
    const dying = script(
      'dies-once.sh',
      `if [ ! -e "${flag}" ]; then touch "${flag}"; exit 1; fi\nexec "${python}"`,
    )
    const prewarmed = new PrewarmedTrainer({ python: dying, logFile })
    prewarmed.warm()
    const trainer = await prewarmed.take()
    expect(existsSync(flag)).toBe(true)
    expect(await trainer.trainer.state()).toBe('running')
    trainer.dismiss()
    await trainer.trainer.gone
    prewarmed.close()
  })

  it('that is suspended gets no job: it is killed, and another takes the job', async () => {
    const pids = join(folder, 'pids')
    const noting = script('notes-pid.sh', `echo $$ >> "${pids}"\nexec "${python}"`)
    const prewarmed = new PrewarmedTrainer({
      python: noting,
      logFile,
      importMilliseconds: 2000,
      answerMilliseconds: 300,
    })
    prewarmed.warm()
    await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8')).toMatch(/\d/)
    const frozen = Number(readFileSync(pids, 'utf8'))
    const identity = await identify(frozen, '')
    process.kill(frozen, 'SIGSTOP')
    const trainer = await prewarmed.take()
    expect(trainer.trainer.handle.pid).not.toBe(frozen)
    expect(identity && (await processState(identity))).toBe('gone')
    trainer.dismiss()
    expect((await trainer.trainer.gone).english).toBe('exit code 0')
    prewarmed.close()
  })

  it('reports PYTHON_UNAVAILABLE when there is no interpreter', async () => {
    const prewarmed = new PrewarmedTrainer({ python: join(folder, 'nothing'), logFile })
    prewarmed.warm()
    await expect(prewarmed.take()).rejects.toMatchObject({ code: 'PYTHON_UNAVAILABLE' })
    prewarmed.close()
  })
})

it('refuses a training on several nodes that another launcher had accepted', async () => {
  const pool = { run: () => Promise.reject(new Error('no Python here')) }
  const launcher = new LocalLauncher({ python: 'none', logs: folder, pool, maxJobs: null, prewarm: false })
  const resources = { ...ONE_PROCESS, nodes: 2 }
  const refused = launcher.submit({ job_id: 'j', attempt: 1, spec: 'none', resources }, async () => true)
  await expect(refused).rejects.toMatchObject({
    code: 'DEVICE_UNAVAILABLE',
    message: expect.stringContaining('one machine'),
  })
})

describe('the imports of a trainer', () => {
  const launch = (name: string, prewarm: boolean) => {
    const marker = join(folder, `${name}.started`)
    const python = join(folder, `${name}.mjs`)
    const program = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '')`
    writeFileSync(python, `#!${process.execPath}\n${program}`, { mode: 0o755 })
    const pool = { run: () => Promise.reject(new Error('no Python here')) }
    const launcher = new LocalLauncher({ python, logs: folder, pool, maxJobs: null, prewarm })
    launcher.start()
    return { launcher, marker }
  }

  it('run at the start, or with the first job if prewarming is off', async () => {
    const { launcher, marker } = launch('at-once', true)
    await until(() => existsSync(marker))
    launcher.close()

    const later = launch('later', false)
    for (const _ of [1, 2]) await once(spawn(process.execPath, ['-e', '0']), 'exit')
    expect(existsSync(later.marker)).toBe(false)
    await later.launcher
      .submit({ job_id: 'j', attempt: 1, spec: 'none', resources: ONE_PROCESS }, async () => true)
      .catch(() => undefined)
    expect(existsSync(later.marker)).toBe(true)
    later.launcher.close()
  })
})
