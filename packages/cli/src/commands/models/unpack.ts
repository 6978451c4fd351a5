import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const PLAIN_NAME = /^(?!.*\.\.)[\w-][\w.-]*(\/[\w-][\w.-]*)*$/

interface Entry {
  readonly name: string
  readonly method: number
  readonly size: number
  readonly start: number
}

/** Write the files of a zip of the service, which has no comment, into a folder. Large files are streamed. */
export async function unpack(archive: string, folder: string): Promise<void> {
  const file = await open(archive)
  try {
    for (const { name, method, size, start } of await entriesOf(file)) {
      if (!PLAIN_NAME.test(name) || (method !== STORED && method !== DEFLATED))
        throw new Error('the archive is not a model package')
      const target = join(folder, name)
      await mkdir(dirname(target), { recursive: true })
      const writing = createWriteStream(target, { flags: 'wx' })
      const stored = size === 0 ? [] : createReadStream(archive, { start, end: start + size - 1 })
      if (method === STORED) await pipeline(stored, writing)
      else await pipeline(stored, createInflateRaw(), writing)
    }
  } finally {
    await file.close()
  }
}

async function entriesOf(file: FileHandle): Promise<Entry[]> {
  const { size } = await file.stat()
  const end = await read(file, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== END) throw new Error('the archive is incomplete')
  const directory = await read(file, end.readUInt32LE(16), end.readUInt32LE(12))
  const entries: Entry[] = []
  for (let place = 0; place < directory.length; ) {
    const entry = directory.subarray(place)
    if (entry.readUInt32LE(0) !== ENTRY) throw new Error('the archive is damaged')
    const [name, extra, comment] = [28, 30, 32].map((at) => entry.readUInt16LE(at)) as [
      number,
      number,
      number,
    ]
    const local = entry.readUInt32LE(42)
    const header = await read(file, local, LOCAL_BYTES)
    entries.push({
      name: entry.toString('utf8', ENTRY_BYTES, ENTRY_BYTES + name),
      method: entry.readUInt16LE(10),
      size: entry.readUInt32LE(20),
      start: local + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28),
    })
    place += ENTRY_BYTES + name + extra + comment
  }
  return entries
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead !== length) throw new Error('the archive is incomplete')
  return buffer
}
