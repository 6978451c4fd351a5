import { open } from 'node:fs/promises'
import type { LogPiece } from './run-exchange.js'

/** Bytes of a log from `offset`, cut between characters. A log that is not there yet is empty. */
export async function readLog(path: string, offset: number, limit: number): Promise<LogPiece> {
  const file = await open(path).catch(() => null)
  if (!file) return { offset, next_offset: offset, size: 0, text: '' }
  try {
    const { size } = await file.stat()
    const wanted = Math.min(limit, Math.max(0, size - offset))
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset)
    const end = characterBoundary(buffer.subarray(0, bytesRead))
    return { offset, next_offset: offset + end, size, text: buffer.toString('utf8', 0, end) }
  } finally {
    await file.close()
  }
}

/** The last `bytes` of a log; empty while there is none. */
export async function readEnd(path: string, bytes: number): Promise<string> {
  const file = await open(path).catch(() => null)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, bytes)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8')
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
