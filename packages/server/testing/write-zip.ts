import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP archive of these files, between `prefix` and `suffix`; `claims` overrides the sizes in the directory. */
export function writeZip(
  files: Readonly<Record<string, string | Buffer>>,
  {
    prefix = '',
    suffix = '',
    claims,
    zip64 = false,
  }: { prefix?: string; suffix?: string; claims?: number; zip64?: boolean } = {},
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
  end.writeUInt32LE(zip64 ? 0xffffffff : size, 12)
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16)
  const large = zip64 ? zip64End(directory.length / 4, size, offset) : []
  return Buffer.concat([Buffer.from(prefix), ...parts, ...directory, ...large, end, Buffer.from(suffix)])
}

/** The record for large archives and its locator (APPNOTE 4.3.14, 4.3.15). */
function zip64End(count: number, size: number, offset: number): Buffer[] {
  const record = Buffer.from('PK\x06\x06'.padEnd(56, '\0'))
  for (const [value, place] of [
    [44, 4],
    [count, 24],
    [count, 32],
    [size, 40],
    [offset, 48],
  ] as const)
    record.writeBigUInt64LE(BigInt(value), place)
  const locator = Buffer.from('PK\x06\x07'.padEnd(20, '\0'))
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return [record, locator]
}
