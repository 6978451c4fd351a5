import { existsSync, writeFileSync } from 'node:fs'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder } from '../terminal/terminal.js'

/** Write a file that does not exist yet, so that a mistyped name overwrites no other file. */
export function writeNewFile(path: string, text: string): void {
  const file = fromCurrentFolder(path)
  if (existsSync(file))
    throw new UsageError(`${path} already exists.`, 'Use another name, or remove the file first.')
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`The file cannot be written: ${reason}`, 'Use a path in an existing folder.')
  }
}
