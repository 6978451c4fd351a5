import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readRegular } from './regular-file.js'

const PIECE = 256 * 1024

/** Reads in pieces, so that the service stays responsive. @throws AppError FILE_NOT_REGULAR */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of readRegular(path, PIECE)) hash.update(piece)
  return hash.digest('hex')
}

/** The current state of a file. */
export type FileNow = Stats

/** The files at these paths; null if there is none. */
export function filesNow(paths: readonly string[]): Promise<(FileNow | null)[]> {
  return Promise.all(paths.map((path) => stat(path).catch(() => null)))
}

/** Two equal states mean that the file has not changed. */
export function stateOf({ ino, size, mtimeMs, ctimeMs }: FileNow): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
