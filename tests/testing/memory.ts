import { readFileSync } from 'node:fs'

/** Current resident memory of a process in MB. Linux only. */
export function residentMegabytes(pid: number | undefined): number {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1e3
}
