import { readdirSync, readFileSync } from 'node:fs'

export interface FoundProcess {
  readonly pid: number
  readonly parent: number
}

/** Processes whose command line contains `text`, wherever they were started. Arguments are separated by NUL there. Linux only. */
export function processesWith(text: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)) return []
        const { state, parent } = statusOf(Number(name))
        return state === 'Z' ? [] : [{ pid: Number(name), parent }]
      } catch {
        return [] // It has ended meanwhile.
      }
    })
}

/** The parent process, its parent, and so on. */
export function ancestorsOf(pid: number): number[] {
  try {
    const { parent } = statusOf(pid)
    return parent > 0 ? [parent, ...ancestorsOf(parent)] : []
  } catch {
    return [] // It has ended meanwhile.
  }
}

/** All direct and indirect child processes. */
export function descendantsOf(pid: number): number[] {
  return processesWith('')
    .map((found) => found.pid)
    .filter((other) => ancestorsOf(other).includes(pid))
}

function statusOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Format: pid (name) state parent …
  const [state = '', parent] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return { state, parent: Number(parent) }
}
