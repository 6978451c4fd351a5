import { createReadStream } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { extname } from 'node:path'

const LINES = new Set(['.csv', '.tsv', '.txt', '.jsonl'])
const NEWLINE = 10

/** Reports whether a table or folder may contain more cases than `most`, without reading all of it. */
export async function mayContainMoreThan(most: number, path: string): Promise<boolean> {
  const found = await stat(path)
  if (found.isDirectory()) return containsMoreFiles(most, path)
  // Only the trainer can count the rows of other formats.
  return !LINES.has(extname(path).toLowerCase()) || containsMoreLines(most + 1, path)
}

async function containsMoreFiles(most: number, path: string): Promise<boolean> {
  let files = 0
  for await (const entry of await opendir(path, { recursive: true }))
    if (entry.isFile() && ++files > most) return true
  return false
}

async function containsMoreLines(most: number, path: string): Promise<boolean> {
  let lines = 0
  let last = NEWLINE
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of piece) if (byte === NEWLINE && ++lines > most) return true
    last = piece.at(-1) ?? last
  }
  return lines + (last === NEWLINE ? 0 : 1) > most
}
