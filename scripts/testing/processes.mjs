// Processes of the tests. Each is the first of a process group, so that a signal reaches also those that it started.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'

const GRACE = 15_000
const HAS_GROUPS = process.platform !== 'win32'
/** Of processes that use the time the others leave. */
const LOW_PRIORITY = 5

const running = new Set()
let ending = false

/** Start a process and pass its output on. @returns its exit status; 1 if it could not be started */
export function runProcess([command, ...args], { cwd, env, onOutput, lowPriority = false }) {
  return new Promise((resolve) => {
    // Nothing new starts while the run ends.
    if (ending) return
    const child = spawn(command, args, { cwd, env, detached: HAS_GROUPS, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    if (lowPriority && child.pid) lowerPriority(child.pid)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', onOutput)
    }
    child.on('error', (error) => onOutput(`${error.message}\n`))
    child.on('close', (code) => {
      running.delete(child)
      if (!ending) resolve(code ?? 1)
    })
  })
}

/**
 * On SIGINT and SIGTERM end what runs, then this process. A second signal does not wait.
 *
 * `temporary`: the folder for temporary files that only the processes of this run have as TMPDIR. Trainers leave the groups of their
 * services, and are found by it.
 */
export function endOnSignal(temporary) {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])
    process.on(signal, async () => {
      const children = [...running]
      if (!ending) {
        ending = true
        await endAll(children, signal)
      }
      // A group can have members that outlive its first process.
      for (const child of children) sendSignal(child, 'SIGKILL')
      cleanUp(temporary)
      process.exit(status)
    })
}

/** End what still runs with this folder for temporary files, and remove it. Files that cannot be removed make no run fail. */
export function cleanUp(folder) {
  killAllWith(`TMPDIR=${folder}`)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    console.warn(`${folder} was not removed: ${error.message}`)
  }
}

async function endAll(children, signal) {
  const closed = children.map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of children) sendSignal(child, signal)
  await Promise.race([Promise.all(closed), new Promise((resolve) => setTimeout(resolve, GRACE))])
}

function sendSignal(child, signal) {
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // It has ended.
  }
}

/** Kill every process with this variable in its environment, which only Linux shows. */
function killAllWith(variable) {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable))
        process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended, or belongs to another user.
    }
}

function lowerPriority(pid) {
  try {
    setPriority(pid, LOW_PRIORITY)
  } catch {
    // It has ended, or the system does not allow it; both do no harm.
  }
}
