import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 }))
    hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** Two states that are equal belong to one unchanged file. */
export function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
