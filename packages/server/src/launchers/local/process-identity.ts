import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname, platform } from 'node:os'
import { promisify } from 'node:util'
import { z } from 'zod'

/**
 * Identifies a process uniquely, also after this service or the machine was started again: a pid alone is given to
 * another process sooner or later. `mark` is a value of its environment, inherited by everything it starts.
 */
export const ProcessIdentity = z.object({
  pid: z.int(),
  started: z.string(),
  boot: z.string(),
  /** Name of its machine, for people and where another machine looks; absent in what older versions have stored. */
  host: z.string().optional(),
  mark: z.string(),
})
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

/** The variable whose value is the mark. */
export const MARK_VARIABLE = 'MEDLOOM_TRAINER_MARK'

/** Identity of the living process `pid`; null when it is gone or only a zombie. Rejects when the system does not answer. */
export async function identify(pid: number, mark: string): Promise<ProcessIdentity | null> {
  const found = await look(pid)
  return found === null ? null : { pid, started: found.started, boot: await bootId(), host: hostname(), mark }
}

/** Whether this very process still lives, or is held by a signal; "unknown" when the system does not answer, for example for lack of file descriptors. */
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
 * Send `signal` to the process, its group, and everything that carries its mark: workers of a distributed training lead
 * sessions of their own. Does nothing to a process that merely got the same pid.
 */
export async function signalFamily(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  if ((await bootId()) !== identity.boot) return
  const leader = (await look(identity.pid))?.started ?? null
  // A group keeps its number from being given away, so without a foreign leader the group is ours.
  if (leader === null || leader === identity.started) send(-identity.pid, signal)
  for (const pid of marked(identity.mark)) send(pid, signal)
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch {
    // It is gone already.
  }
}

interface Living {
  readonly started: string
  readonly suspended: boolean
}

/** Null: there is no such process, or only a zombie. Throws when the system does not answer. */
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
  // The name in parentheses may hold anything; fields are counted after it: state is the first, start time the 20th.
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
    // ps exits with 1 when there is no such process; any other failure says nothing about the process.
    if ((error as { code?: unknown }).code === 1) return null
    throw error
  }
}

let boot: Promise<string> | undefined

/** Of this machine, until it is started again. */
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

/** Linux: processes that carry the mark in their environment. Elsewhere the group has to do. */
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
