import { readRegular } from '../../../storage/regular-file.js'
import { CsvCells } from './csv-cells.js'

const PIECE = 64 * 1024

/** The column names of a comma-separated table in UTF-8. */
export async function readHeader(path: string): Promise<string[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of readRegular(path, PIECE)) {
    text += decoder.decode(piece, { stream: true })
    if (firstRecord(text).length < text.length) break
  }
  const names: string[] = []
  const reader = new CsvCells(',', (name) => names.push(name))
  reader.push(firstRecord(text))
  reader.end()
  return names
}

/** As it is written, without the line break that ends it; a quoted cell may hold line breaks. */
export function firstRecord(text: string): string {
  const [, record = ''] = /^\uFEFF?[\r\n]*((?:[^"\r\n]+|"[^"]*"?)*)/.exec(text) ?? []
  return record
}
