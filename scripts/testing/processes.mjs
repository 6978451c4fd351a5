// Processes of the tests. Each is the leader of a process group, so that a signal also reaches the processes that it started.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'

const GRACE = 15_000
const HAS_GROUPS = process.platform !== 'win32'
/** Priority of processes that use only idle time. */
const LOW_PRIORITY = 5

const running = new Set()
let ending = false

/** Starts a process and forwards its output. @returns its exit status; 1 if it could not be started */
export function runProcess([command, ...args], { cwd, env, onOutput, lowPriority = false }) {
  return new Promise((resolve) => {
    // No process is started while the run ends.
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
 * On SIGINT and SIGTERM ends the running processes, then this process. A second signal does not wait.
 *
 * `temporary`: folder for temporary files that only the processes of this run have as TMPDIR. Trainers leave the process groups of their
 * services, and are found by this variable.
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
      // A group can have members that outlive its leader.
      for (const child of children) sendSignal(child, 'SIGKILL')
      cleanUp(temporary)
      process.exit(status)
    })
}

/** Ends the remaining processes with this folder for temporary files, and removes it. Files that cannot be removed do not fail the run. */
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

/** Kills every process with this variable in its environment, which only Linux shows. */
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
