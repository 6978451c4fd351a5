import { existsSync, writeFileSync } from 'node:fs'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder } from '../terminal/terminal.js'

/** Before work whose result is written. */
export function refuseExisting(path: string): void {
  if (existsSync(fromCurrentFolder(path)))
    throw new UsageError(`${path} already exists.`, 'Use another name, or remove the file first.')
}

/** Write a file that does not exist yet, so that a mistyped name overwrites no other file. */
export function writeNewFile(path: string, text: string): void {
  refuseExisting(path)
  try {
    writeFileSync(fromCurrentFolder(path), text, { flag: 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`The file cannot be written: ${reason}`, 'Use a path in an existing folder.')
  }
}
