import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname, platform } from 'node:os'
import { promisify } from 'node:util'
import { z } from 'zod'

/**
 * Identifies a process uniquely, even after a restart of this service or the machine: a pid alone is eventually reused for another process.
 * `mark` is the value of an environment variable that all its child processes inherit.
 */
export const ProcessIdentity = z.object({
  pid: z.int(),
  started: z.string(),
  boot: z.string(),
  /** Name of its machine, for messages and for checks on another machine; absent in data of older versions. */
  host: z.string().optional(),
  mark: z.string(),
})
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

/** The environment variable that contains the mark. */
export const MARK_VARIABLE = 'MEDLOOM_TRAINER_MARK'

/** Identity of the running process `pid`; null when it is gone or a zombie. Rejects when the system does not answer. */
export async function identify(pid: number, mark: string): Promise<ProcessIdentity | null> {
  const found = await look(pid)
  return found === null ? null : { pid, started: found.started, boot: await bootId(), host: hostname(), mark }
}

/**
 * State of exactly this process: running, suspended by a signal, or gone; "unknown" when the system does not answer, for example for lack
 * of file descriptors.
 */
export async function processState(
  identity: ProcessIdentity,
): Promise<'running' | 'suspended' | 'gone' | 'unknown'> {
  try {
    if ((await bootId()) !== identity.boot) return 'gone'
    const found = await look(identity.pid)
    if (found?.started !== identity.started) return 'gone'
    return found.suspended ? 'suspended' : 'running'
  } catch {
    return 'unknown'
  }
}

/**
 * Send `signal` to the process, its group, and all processes with its mark: workers of a distributed training lead separate sessions. Does
 * nothing to another process that got the same pid.
 */
export async function signalFamily(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  if ((await bootId()) !== identity.boot) return
  const leader = (await look(identity.pid))?.started ?? null
  // While a group exists, its number is not reused, so the group is ours unless its leader is another process.
  if (leader === null || leader === identity.started) send(-identity.pid, signal)
  for (const pid of marked(identity.mark)) send(pid, signal)
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch {
    // The process is already gone.
  }
}

interface Living {
  readonly started: string
  readonly suspended: boolean
}

/** Null: the process does not exist, or is a zombie. Throws when the system does not answer. */
async function look(pid: number): Promise<Living | null> {
  return platform() === 'linux' ? lookInProc(pid) : lookWithPs(pid)
}

function lookInProc(pid: number): Living | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
  // The name in parentheses may contain any character; fields are counted after it: state is the first, start time the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields[0], fields[19]]
  return state === 'Z' || state === 'X' || started === undefined
    ? null
    : { started, suspended: state === 'T' }
}

const run = promisify(execFile)

async function lookWithPs(pid: number): Promise<Living | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', PATH: process.env.PATH },
    })
    const [state = '', ...rest] = stdout.trim().split(/\s+/)
    return !state || state.startsWith('Z')
      ? null
      : { started: rest.join(' '), suspended: state.startsWith('T') }
  } catch (error) {
    // ps exits with 1 when the process does not exist; any other failure gives no information about the process.
    if ((error as { code?: unknown }).code === 1) return null
    throw error
  }
}

let boot: Promise<string> | undefined

/** Id of this machine's current boot. */
export function bootId(): Promise<string> {
  boot ??=
    platform() === 'linux'
      ? Promise.resolve(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
      : run('sysctl', ['-n', 'kern.bootsessionuuid']).then(
          ({ stdout }) => stdout.trim(),
          (error) => {
            boot = undefined
            throw error
          },
        )
  return boot
}

/** Linux: processes with the mark in their environment. Other systems signal only the group. */
function marked(mark: string): number[] {
  if (platform() !== 'linux') return []
  const entry = `${MARK_VARIABLE}=${mark}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry)
      } catch {
        return false
      }
    })
    .map(Number)
}
