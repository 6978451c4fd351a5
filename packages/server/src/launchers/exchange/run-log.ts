import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { runPath } from '@medloom/contracts'
import type { LogPiece } from '../../ports/run-exchange.js'

/**
 * Bytes of a log from `offset`, cut between characters. Offsets count everything ever written; if that part is no longer kept, the piece
 * begins at the next kept byte. A log that does not exist yet is empty.
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

/** The last `bytes` of a log; empty if it does not exist. */
export async function readEnd(path: string, bytes: number): Promise<string> {
  return withParts(path, async (parts) => {
    const size = parts.at(-1)?.end ?? 0
    // Starts after a gap, if there is one.
    const whole =
      parts.findLast(({ start }, index) => index === 0 || parts[index - 1]?.end !== start)?.start ?? 0
    return (await read(parts, Math.max(whole, size - bytes), size)).toString('utf8')
  })
}

/** Consecutive bytes of a log in one file, by their position in the log. */
export interface LogPart {
  readonly path: string
  readonly start: number
  readonly end: number
}

const ATTEMPTS = 10

/**
 * Repeats `work` if the trainer shortens the log meanwhile (trainer/src/medloom_trainer/exchange/run_log.py): the file was cut, or there are
 * other parts.
 */
async function withParts<Result>(
  path: string,
  work: (parts: readonly LogPart[]) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const before = await logParts(path)
    const result = await work(before)
    const after = await logParts(path)
    const unchanged = before.every(({ path, start, end }, index) => {
      const now = after[index]
      return now?.path === path && now.start === start && now.end >= end
    })
    if ((unchanged && before.length === after.length) || attempt === ATTEMPTS) return result
  }
}

/** In order; the current file is last, if it is not empty. */
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

/**
 * Position of the file in the log; null when it is not part of the log. A copy of the part that is cut off counts as a part once the cut is
 * done.
 */
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

/** From `start` up to `end`, or up to a gap. */
async function read(parts: readonly LogPart[], start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let index = start; index < end; ) {
    const part = parts.find((part) => part.start <= index && index < part.end)
    const piece = part && (await readFrom(part.path, index - part.start, Math.min(end, part.end) - index))
    if (!piece?.length) break
    pieces.push(piece)
    index += piece.length
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

/** Length of `bytes` without an incomplete UTF-8 character at its end. */
export function characterBoundary(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    // A piece smaller than one character is returned unchanged, so that a reader makes progress.
    return length > back && bytes.length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
