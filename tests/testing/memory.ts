import { readFileSync } from 'node:fs'

/** What a process holds in memory now, in MB. Linux. */
export function residentMegabytes(pid: number | undefined): number {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1e3
}
