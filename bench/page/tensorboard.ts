import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../packages/server/testing/free-ports.js'
import { registerCleanup } from '../../tests/testing/cleanup.js'
import { PYTHON, temporaryFolder } from '../../tests/testing/service.js'
import { run } from '../engine/peers.js'

const PACKAGES = ['tensorboard==2.21.0', 'setuptools==80.9.0']
const INSTALL_SECONDS = 180
const WRITE_SECONDS = 120
/** It reads its files in the background, and shows those that it has read. */
const READ_SECONDS = 180

/** Runs `work` with a TensorBoard that has read this many points of each run. If it cannot be installed, the reason is reported. */
export async function withTensorBoard<Result>(
  runs: number,
  points: number,
  work: (url: string) => Promise<Result>,
): Promise<Result | null> {
  const folder = temporaryFolder('page-tensorboard')
  const bin = (name: string) => join(folder, 'v', process.platform === 'win32' ? 'Scripts' : 'bin', name)
  const logs = join(folder, 'logs')
  try {
    await run(PYTHON, ['-m', 'venv', join(folder, 'v')], INSTALL_SECONDS)
    await run(bin('pip'), ['install', '--quiet', ...PACKAGES], INSTALL_SECONDS)
    const write = [join(import.meta.dirname, 'tensorboard.py'), logs, String(runs), String(points)]
    await run(bin('python'), write, WRITE_SECONDS)
    return await served(bin('tensorboard'), logs, { runs, points }, work)
  } catch (error) {
    console.log(`TensorBoard is left out: ${error instanceof Error ? error.message.slice(0, 300) : error}`)
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function served<Result>(
  command: string,
  logs: string,
  { runs, points }: { runs: number; points: number },
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const port = await freePort()
  const flags = ['--logdir', logs, '--port', String(port), '--host', '127.0.0.1', '--reload_interval', '1']
  // Its reader is a separate process, which ends with the group.
  const child = spawn(command, flags, { stdio: 'ignore', detached: true })
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const ended = registerCleanup(end)
  try {
    const url = `http://127.0.0.1:${port}`
    for (let index = 0; index < runs; index++)
      await untilRead(`${url}/data/plugin/scalars/scalars?run=run-${index}&tag=loss`, points)
    return await work(url)
  } finally {
    const exited = once(child, 'exit')
    end()
    ended()
    await exited
  }
}

async function untilRead(address: string, points: number): Promise<void> {
  for (const began = performance.now(); performance.now() - began < READ_SECONDS * 1000; await delay(500)) {
    const answer = await fetch(address).catch(() => null)
    if (!answer?.ok) continue
    const read = (await answer.json()) as [time: number, step: number, value: number][]
    if ((read.at(-1)?.[1] ?? 0) >= points) return
  }
  throw new Error(`it had not read its files after ${READ_SECONDS} s`)
}
