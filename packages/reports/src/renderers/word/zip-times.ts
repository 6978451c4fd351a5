const END = 0x06054b50
const ENTRY = 0x02014b50
/** 1980-01-01 00:00, the earliest time of the format: date in the upper half, time in the lower half. */
const EARLIEST = 0x0021_0000

/** The same archive with a fixed time, so that equal content has equal bytes (APPNOTE 4.4.6; no ZIP64, no comment). */
export function withoutTimes(zip: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(zip)
  const view = new DataView(bytes.buffer)
  const end = bytes.length - 22
  if (end < 0 || view.getUint32(end, true) !== END) throw new Error('this is not a plain ZIP archive')
  let offset = view.getUint32(end + 16, true)
  for (let entry = 0; entry < view.getUint16(end + 10, true); entry++) {
    if (view.getUint32(offset, true) !== ENTRY) throw new Error('the directory of the ZIP archive is damaged')
    view.setUint32(offset + 12, EARLIEST, true)
    view.setUint32(view.getUint32(offset + 42, true) + 10, EARLIEST, true)
    offset +=
      46 +
      view.getUint16(offset + 28, true) +
      view.getUint16(offset + 30, true) +
      view.getUint16(offset + 32, true)
  }
  return bytes
}
