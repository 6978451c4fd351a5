import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP archive of these files; `prefix` stands before it, and `claims` overrides what the directory says about sizes. */
export function writeZip(
  files: Readonly<Record<string, string | Buffer>>,
  { prefix = '', claims }: { prefix?: string; claims?: number } = {},
): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(claims ?? content.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, place, Buffer.from(name))
    const entry = [Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed]
    parts.push(...entry)
    offset += entry.reduce((sum, part) => sum + part.length, 0)
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const end = Buffer.from('PK\x05\x06'.padEnd(22, '\0'))
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([Buffer.from(prefix), ...parts, ...directory, end])
}
