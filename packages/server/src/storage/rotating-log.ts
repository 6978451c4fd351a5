import { copyFileSync, renameSync, statSync, truncateSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'

/** Size limit of a log: the file itself and older ones next to it; `<name>.1` is the newest of them. */
export interface LogLimit {
  readonly bytes: number
  /** At least 2. */
  readonly files: number
}

/** Limit for the logs of the service and its workers. */
export const SERVICE_LOG: LogLimit = { bytes: 10_000_000, files: 5 }

/** A log that only this process writes. It starts a new file when its file is long; each text stays in one file. */
export class RotatingLog {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly path: string,
    readonly limit: LogLimit = SERVICE_LOG,
  ) {}

  /** Texts are written in the order of the calls. The folder exists. */
  append(text: string): Promise<void> {
    const written = this.#last.then(() => this.#write(text))
    this.#last = written.catch(() => undefined)
    return written
  }

  async #write(text: string): Promise<void> {
    let file = await open(this.path, 'a', 0o600)
    try {
      const { size } = await file.stat()
      if (size > 0 && size + Buffer.byteLength(text) > this.limit.bytes) {
        await file.close()
        for (const [from, to] of moves(this.path, this.limit)) await rename(from, to).catch(ignoreAbsent)
        file = await open(this.path, 'a', 0o600)
      }
      await file.appendFile(text)
    } finally {
      await file.close()
    }
  }
}

/**
 * Start a new file of a log when it is long. Other processes write the log, each through a descriptor in append mode. Text that they write
 * between copy and truncation is lost.
 */
export function cutLongLog(path: string, limit: LogLimit = SERVICE_LOG): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= limit.bytes) return
  for (const [from, to] of moves(path, limit)) {
    if (from === path) copyFileSync(from, to)
    else if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to)
  }
  truncateSync(path, 0)
}

/** The files of a log, newest first; some of them may not exist. */
export function rotatedFiles(path: string, { files }: LogLimit): string[] {
  return [path, ...Array.from({ length: files - 1 }, (_, index) => `${path}.${index + 1}`)]
}

/** The oldest file first, which replaces the one that is removed. */
function moves(path: string, limit: LogLimit): [from: string, to: string][] {
  const names = rotatedFiles(path, limit)
  return names
    .slice(1)
    .map((to, index): [string, string] => [names[index] ?? path, to])
    .reverse()
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
