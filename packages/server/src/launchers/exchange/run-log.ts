import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { runPath } from '@medloom/contracts'
import type { LogPiece } from './run-exchange.js'

/**
 * Bytes of a log from `offset`, cut between characters. Offsets count everything that was ever written; where that is not kept any more,
 * the piece begins at what is. A log that is not there yet is empty.
 */
export async function readLog(path: string, offset: number, limit: number): Promise<LogPiece> {
  return withParts(path, async (parts) => {
    const size = parts.at(-1)?.end ?? 0
    const first = parts.find(({ end }) => end > offset)
    if (!first) return { offset, next_offset: offset, size, text: '' }
    const start = Math.max(offset, first.start)
    const bytes = await read(parts, start, Math.min(start + limit, size))
    const end = characterBoundary(bytes)
    return { offset: start, next_offset: start + end, size, text: bytes.toString('utf8', 0, end) }
  })
}

/** The last `bytes` of a log; empty while there is none. */
export async function readEnd(path: string, bytes: number): Promise<string> {
  return withParts(path, async (parts) => {
    const size = parts.at(-1)?.end ?? 0
    // After a gap, if there is one.
    const whole = parts.findLast(({ start }, at) => at === 0 || parts[at - 1]?.end !== start)?.start ?? 0
    return (await read(parts, Math.max(whole, size - bytes), size)).toString('utf8')
  })
}

/** Consecutive bytes of a log in one file, by where they stand in the log. */
export interface LogPart {
  readonly path: string
  readonly start: number
  readonly end: number
}

const ATTEMPTS = 10

/**
 * What `work` reads of a log that its trainer shortens meanwhile (trainer/src/medloom_trainer/worker/run_log.py) is read again: the file was
 * cut, or other parts lie beside it.
 */
async function withParts<Result>(
  path: string,
  work: (parts: readonly LogPart[]) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const before = await logParts(path)
    const result = await work(before)
    const after = await logParts(path)
    const unchanged = before.every(({ path, start, end }, at) => {
      const now = after[at]
      return now?.path === path && now.start === start && now.end >= end
    })
    if ((unchanged && before.length === after.length) || attempt === ATTEMPTS) return result
  }
}

/** In order; the file that is being written comes last, when it is not empty. */
export async function logParts(path: string): Promise<LogPart[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const size = await sizeOf(path)
  const found = names.flatMap((name) => {
    const start = startOf(name, size)
    return start === null ? [] : [{ path: `${folder}/${name}`, start }]
  })
  const parts = await Promise.all(
    found.map(async (part) => ({ ...part, end: part.start + (await sizeOf(part.path)) })),
  )
  parts.sort((a, b) => a.start - b.start)
  const start = parts.at(-1)?.end ?? 0
  return size > 0 ? [...parts, { path, start, end: start + size }] : parts
}

const [PART, PENDING] = [
  patternOf(runPath('log_part', { start: '_' })),
  patternOf(runPath('log_pending', { start: '_', size: '_' })),
]

/** Where the file begins in the log; null when it is none of its parts. A copy of what is cut off is one from the cut on. */
function startOf(name: string, size: number): number | null {
  const [, part] = PART.exec(name) ?? []
  if (part !== undefined) return Number(part)
  const [, pending, cutFrom] = PENDING.exec(name) ?? []
  return pending !== undefined && size < Number(cutFrom) ? Number(pending) : null
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${basename(path).replaceAll('.', '\\.').replaceAll('_', '(\\d+)')}$`)
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/** From `start` on, up to `end` or to where something is missing. */
async function read(parts: readonly LogPart[], start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = start; at < end; ) {
    const part = parts.find((part) => part.start <= at && at < part.end)
    const piece = part && (await readFrom(part.path, at - part.start, Math.min(end, part.end) - at))
    if (!piece?.length) break
    pieces.push(piece)
    at += piece.length
  }
  return Buffer.concat(pieces)
}

async function readFrom(path: string, position: number, length: number): Promise<Buffer> {
  const file: FileHandle | null = await open(path).catch(() => null)
  if (!file) return Buffer.alloc(0)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Length of `bytes` without a character of UTF-8 that its end cuts in two. */
export function characterBoundary(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    // A piece smaller than one character is given as it is: a reader must get on.
    return length > back && bytes.length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
