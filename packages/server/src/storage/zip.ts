import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'

/** A file of a ZIP archive (APPNOTE 6.3.10), as the directory of the archive describes it. */
export interface ZipEntry {
  readonly name: string
  /** Bytes when unpacked, as the archive says: no more than these are ever given. */
  readonly size: number
  readonly packed: number
  readonly method: number
  /** Of its local header in the file. */
  readonly offset: number
}

const END = Buffer.from([0x50, 0x4b, 5, 6])
const END_SIZE = 22
const LONGEST_COMMENT = 0xffff
const ENTRY = 0x02014b50
const LOCAL_SIZE = 30
const MOST_DIRECTORY = 64 * 1024 * 1024
const STORED = 0
const DEFLATED = 8

/** The files of the archive at `path`; null where that is no ZIP archive. */
export async function zipDirectory(path: string): Promise<ZipEntry[] | null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - END_SIZE - LONGEST_COMMENT)
    const tail = await read(file, from, size - from)
    const at = tail.lastIndexOf(END)
    if (at < 0 || at + END_SIZE > tail.length) return null
    const end = (await zip64End(file, tail, at)) ?? {
      count: tail.readUInt16LE(at + 10),
      size: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
      end: from + at,
    }
    if (end.size > MOST_DIRECTORY || end.size > end.end) return null
    const directory = await read(file, end.end - end.size, end.size)
    // Where something stands before the archive, all that it says about places is short by that much.
    return entriesOf(directory, end.count, end.end - end.size - end.offset)
  } finally {
    await file.close()
  }
}

/** What the file holds, in pieces. Throws when it is damaged or packed in a way that is not known here. */
export async function* zipContent(path: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  const file = await open(path)
  let start: number
  try {
    const header = await read(file, entry.offset, LOCAL_SIZE)
    start = entry.offset + LOCAL_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28)
  } finally {
    await file.close()
  }
  if (entry.packed === 0) return
  if (entry.method !== STORED && entry.method !== DEFLATED) throw new Error('packed in an unknown way')
  const packed = createReadStream(path, { start, end: start + entry.packed - 1 })
  const unpacked = entry.method === STORED ? packed : createInflateRaw()
  if (unpacked !== packed) {
    packed.on('error', (error) => unpacked.destroy(error))
    packed.pipe(unpacked as ReturnType<typeof createInflateRaw>)
  }
  let left = entry.size
  try {
    for await (const piece of unpacked) {
      yield (piece as Buffer).subarray(0, left)
      left -= (piece as Buffer).length
      if (left <= 0) return
    }
  } finally {
    packed.destroy()
    unpacked.destroy()
  }
}

/** The record that large archives, and some writers always, put before the end (4.3.14). */
async function zip64End(file: FileHandle, tail: Buffer, at: number) {
  const locator = at - 20
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) return null
  const place = Number(tail.readBigUInt64LE(locator + 8))
  const record = await read(file, place, 56)
  if (record.readUInt32LE(0) !== 0x06064b50) return null
  return {
    count: Number(record.readBigUInt64LE(32)),
    size: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
    end: place,
  }
}

function entriesOf(directory: Buffer, count: number, shift: number): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count && directory.readUInt32LE(at) === ENTRY; ) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30)
    const wide = zip64Numbers(directory.subarray(nameEnd, extraEnd))
    const number = (place: number) => {
      const short = directory.readUInt32LE(at + place)
      return short === 0xffffffff ? Number(wide.shift() ?? short) : short
    }
    // In the order in which the numbers that do not fit stand in the extra field (4.5.3).
    const [size, packed, offset] = [number(24), number(20), number(42)]
    entries.push({
      name: directory.toString('utf8', at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      size,
      packed,
      offset: offset + shift,
    })
    at = extraEnd + directory.readUInt16LE(at + 32)
  }
  return entries
}

function zip64Numbers(extra: Buffer): bigint[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
    return Array.from({ length: field.length >> 3 }, (_, i) => field.readBigUInt64LE(i * 8))
  }
  return []
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
