import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { EXCHANGE_LIMITS, phrase } from '@medloom/contracts'
import { AppError } from '../../../errors.js'

export interface Piece {
  /** Position in its file. */
  readonly offset: number
  readonly content: Readable
  readonly signal: AbortSignal
}

/**
 * Append the body of a request to a file. Bytes that the file already has are skipped; data that arrived before the connection broke is
 * kept.
 * @param most maximum size of the file in bytes
 * @param onWritten called with the written data, in order
 * @returns the current size of the file in bytes
 * @throws AppError UPLOAD_OFFSET, PAYLOAD_TOO_LARGE
 */
export async function writePieces(
  file: FileHandle,
  { offset, content, signal }: Piece,
  most = Number.MAX_SAFE_INTEGER,
  onWritten: (bytes: Buffer) => void = () => undefined,
): Promise<number> {
  let { size } = await file.stat()
  if (offset > size) throw wrongOffset(size)
  let position = offset
  const leave = () => content.destroy(wrongOffset(size))
  signal.addEventListener('abort', leave, { once: true })
  for await (const chunk of content.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer
    position += bytes.length
    if (position - offset > EXCHANGE_LIMITS.exchange_piece_bytes || position > most)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        phrase('chunk_beyond_declared', { limit: EXCHANGE_LIMITS.exchange_piece_bytes }),
      )
    if (position <= size) continue
    const fresh = bytes.subarray(Math.max(0, bytes.length - (position - size)))
    await writeAll(file, fresh, size)
    onWritten(fresh)
    size += fresh.length
  }
  signal.removeEventListener('abort', leave)
  return size
}

/** @throws AppError UPLOAD_OFFSET */
export function wrongOffset(size: number): AppError {
  return new AppError('UPLOAD_OFFSET', phrase('next_chunk_at', { offset: size }), phrase('read_stored_bytes'))
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten
}
