import { crc32, inflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly content: Buffer
  /** Year in the archive's entry. */
  readonly year: number
}

/** Files of a ZIP archive by path, read from its directory. */
export function readZip(archive: Uint8Array): Map<string, ZipEntry> {
  const bytes = Buffer.from(archive)
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0) throw new Error('this is not a ZIP archive')
  const entries = new Map<string, ZipEntry>()
  let offset = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < bytes.readUInt16LE(end + 10); index++) {
    const nameLength = bytes.readUInt16LE(offset + 28)
    const name = bytes.toString('utf8', offset + 46, offset + 46 + nameLength)
    const local = bytes.readUInt32LE(offset + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(offset + 20))
    const content = bytes.readUInt16LE(offset + 10) === 0 ? packed : inflateRawSync(packed)
    if (crc32(content) !== bytes.readUInt32LE(offset + 16)) throw new Error(`${name} is damaged`)
    entries.set(name, { content, year: 1980 + (bytes.readUInt16LE(offset + 14) >> 9) })
    offset += 46 + nameLength + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32)
  }
  return entries
}
