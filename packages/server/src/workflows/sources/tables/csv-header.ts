import { basename } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { AppError } from '../../../errors.js'
import { readRegular } from '../../../storage/regular-file.js'
import { CsvCells } from './csv-cells.js'

const PIECE = 64 * 1024
/** Maximum length of a header. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The column names of a comma-separated table in UTF-8. @throws AppError TABLE_TOO_LARGE for too many columns */
export async function readHeader(path: string): Promise<string[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of readRegular(path, PIECE)) {
    text += decoder.decode(piece, { stream: true })
    if (firstRecord(text).length < text.length) break
    if (text.length > MAX_CHARACTERS) throw tooWide(path)
  }
  const names: string[] = []
  const reader = new CsvCells(',', (name) => names.push(name))
  reader.push(firstRecord(text))
  reader.end()
  if (reader.tooWide) throw tooWide(path)
  return names
}

function tooWide(path: string): AppError {
  const most = LIMITS.table_columns.toLocaleString('en-US')
  return new AppError(
    'TABLE_TOO_LARGE',
    `${basename(path)}: the header names more columns than the ${most} that can be read`,
    'Leave out columns that the model does not need, or divide the table into several.',
  )
}

/** The unparsed record, without its line break; a quoted cell may contain line breaks. */
export function firstRecord(text: string): string {
  const [, record = ''] = /^\uFEFF?[\r\n]*((?:[^"\r\n]+|"[^"]*"?)*)/.exec(text) ?? []
  return record
}
