import { readdirSync, readlinkSync } from 'node:fs'

/** Kill the processes that have a file below `folder` open or work in it, wherever they were started. Linux; elsewhere nobody is found. */
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
