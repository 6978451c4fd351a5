import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { readRegular } from './regular-file.js'

const PIECE = 256 * 1024

/** Reads in pieces: the service goes on meanwhile. @throws AppError FILE_NOT_REGULAR */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of readRegular(path, PIECE)) hash.update(piece)
  return hash.digest('hex')
}

/** Two states that are equal belong to one unchanged file. */
export function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
