import { openRegular, readRegular } from '../../../storage/regular-file.js'
import { openZip } from '../../../storage/zip.js'
import type { TakeCell } from './cell-text.js'
import { CsvCells } from './csv-cells.js'
import { firstRecord } from './csv-header.js'
import { JsonCells } from './json-cells.js'
import { workbookCells } from './workbook-cells.js'

const DELIMITERS = [',', ';', '\t']
const PIECE = 16 * 1024

/**
 * Every cell of a table, and more: if the format is ambiguous (CSV or JSON, delimiter), the text is read in every possible way, so that no
 * cell is missed. A file that cannot be read as a table has no cells; the node reports the reason. `pause` is called between pieces.
 *
 * @param encoding of a CSV, as LoadTabular names it.
 */
export async function readCells(
  path: string,
  encoding: string,
  take: TakeCell,
  pause: () => Promise<void>,
): Promise<void> {
  try {
    const archive = await openZip(path)
    if (archive) return await workbookCells(archive, take, pause).finally(() => archive.close())
    const head = await headOf(path)
    if (/^[\uFEFF\s]*(?:[[{]|$)/.test(head.toString('utf8')))
      await readText(path, 'utf-8', () => [new JsonCells(take)], pause)
    await readText(
      path,
      codecOf(encoding, head),
      (first) => {
        const header = firstRecord(first)
        const dividing = DELIMITERS.filter((delimiter) => header.includes(delimiter))
        return (dividing.length > 0 ? dividing : [',']).map((delimiter) => new CsvCells(delimiter, take))
      },
      pause,
    )
  } catch {
    return
  }
}

async function readText(
  path: string,
  codec: string,
  readersFor: (first: string) => readonly (CsvCells | JsonCells)[],
  pause: () => Promise<void>,
): Promise<void> {
  const decoder = new TextDecoder(codec)
  let readers: readonly (CsvCells | JsonCells)[] | undefined
  for await (const piece of readRegular(path, PIECE)) {
    const text = decoder.decode(piece, { stream: true })
    readers ??= readersFor(text)
    for (const reader of readers) reader.push(text)
    await pause()
    if (readers.every(({ tooWide }) => tooWide)) return
  }
  for (const reader of readers ?? []) reader.end()
}

/** Only the bytes of ASCII characters matter here: Windows-1252 is read as invalid UTF-8. */
function codecOf(encoding: string, head: Buffer): string {
  const little = head[0] === 0xff && head[1] === 0xfe
  const big = head[0] === 0xfe && head[1] === 0xff
  if (encoding === 'auto') return little ? 'utf-16le' : big ? 'utf-16be' : 'utf-8'
  return encoding === 'utf-16' && big ? 'utf-16be' : encoding
}

async function headOf(path: string): Promise<Buffer> {
  const file = await openRegular(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE), 0, PIECE, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
