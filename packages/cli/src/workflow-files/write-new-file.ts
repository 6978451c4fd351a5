import { existsSync, writeFileSync } from 'node:fs'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder } from '../terminal/terminal.js'

/** Before work whose result is written. */
export function refuseExisting(path: string, remedy = 'Use another name, or remove the file first.'): void {
  if (existsSync(fromCurrentFolder(path))) throw new UsageError(`${path} already exists.`, remedy)
}

/** Write a file that does not exist yet, so that a mistyped name overwrites no other file. `overwrite` replaces it. */
export function writeNewFile(path: string, text: string, { overwrite = false } = {}): void {
  if (!overwrite) refuseExisting(path)
  try {
    writeFileSync(fromCurrentFolder(path), text, { flag: overwrite ? 'w' : 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`The file cannot be written: ${reason}`, 'Use a path in an existing folder.')
  }
}
