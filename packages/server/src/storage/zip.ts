import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import { openRegular } from './regular-file.js'

export interface ZipArchive {
  /** The files of the archive; `uncompressedSize` is the value declared in the archive. */
  readonly entries: readonly Entry[]
  /** The content of a file in pieces. @throws when it is damaged, or its size differs from the declared one */
  content(entry: Entry): Promise<Readable>
  close(): Promise<void>
}

const END_SIZE = 22
const MAX_COMMENT = 0xffff
const LOCATOR_SIZE = 20
const ZIP64_END_SIZE = 56
const PIECE = 64 * 1024
/** Limit because entries are kept in memory. */
const MAX_ENTRIES = 200_000

/** The archive at `path`; null if the file is not a ZIP archive. @throws when its directory is damaged */
export async function openZip(path: string): Promise<ZipArchive | null> {
  const file = await openRegular(path)
  try {
    const place = await findArchive(file)
    const archive = place && (await readArchive(file, place))
    if (archive === null) await file.close()
    return archive
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readArchive(file: FileHandle, { start, end }: Place): Promise<ZipArchive> {
  const zip = await fromRandomAccessReaderPromise(new FileSlice(file, start), end - start, {
    autoClose: false,
    lazyEntries: true,
    // Names stay bytes, because yauzl refuses an archive with an invalid file name.
    decodeStrings: false,
  })
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`the archive has more than ${MAX_ENTRIES} entries`)
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) entries.push(entry)
  return {
    entries,
    content: (entry) => zip.openReadStreamPromise(entry),
    async close() {
      zip.close()
      await file.close()
    },
  }
}

interface Place {
  readonly start: number
  readonly end: number
}

/**
 * Position of the archive in its file (APPNOTE 4.3.16): other bytes may precede and follow it, which the trainer's reader accepts and yauzl
 * does not. All positions in the archive are relative to `start`.
 */
async function findArchive(file: FileHandle): Promise<Place | null> {
  const { size } = await file.stat()
  const from = Math.max(0, size - END_SIZE - MAX_COMMENT - LOCATOR_SIZE)
  const tail = Buffer.alloc(size - from)
  await file.read(tail, 0, tail.length, from)
  const at = tail.lastIndexOf('PK\x05\x06', 'latin1')
  if (at < 0 || at + END_SIZE > tail.length) return null
  const locator = at - LOCATOR_SIZE
  const isZip64 = locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50
  const start = isZip64
    ? from + locator - ZIP64_END_SIZE - Number(tail.readBigUInt64LE(locator + 8))
    : from + at - tail.readUInt32LE(at + 12) - tail.readUInt32LE(at + 16)
  const end = Math.min(size, from + at + END_SIZE + tail.readUInt16LE(at + 20))
  return start < 0 ? null : { start, end }
}

/** Reads a file starting at `start`. */
class FileSlice extends RandomAccessReader {
  constructor(
    private readonly file: FileHandle,
    private readonly start: number,
  ) {
    super()
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(piecesOf(this.file, this.start + start, this.start + end), { objectMode: false })
  }
}

/** A stream of the handle itself would close it. */
async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(PIECE, end - at)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
