import { readdirSync, readlinkSync } from 'node:fs'

/** Kills processes with an open file or the working directory below `folder`, wherever they were started. Only on Linux. */
export function endUsers(folder: string): void {
  for (const pid of processes())
    if (pid !== process.pid && uses(pid, folder))
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

function uses(pid: number, folder: string): boolean {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)
    return [`/proc/${pid}/cwd`, ...files].some((link) => `${readlinkSync(link)}/`.startsWith(`${folder}/`))
  } catch {
    return false
  }
}
