import { readFile } from 'node:fs/promises'
import { phrase, withoutSmallSubgroups } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { Bytes } from '../http/bind.js'
import { nullIfMissing } from '../storage/null-if-missing.js'
import { fileHeaders, typeOf } from './file-response.js'

/**
 * The file of a result without small counts of subgroups. Null: it has none, so that the file itself can be sent.
 * @throws AppError RUN_FILE_NOT_FOUND for a damaged file, whose small counts cannot be removed.
 */
export async function sharedResult(path: string, name: string): Promise<Bytes | null> {
  const text = await nullIfMissing(readFile(path, 'utf8'))
  const result = text === null ? null : parsed(text)
  const shared = withoutSmallSubgroups(result)
  if (shared === result) return null
  const content = Buffer.from(`${JSON.stringify(shared)}\n`)
  return new Bytes(content, typeOf(name), fileHeaders(name, content.length, 'attachment'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('RUN_FILE_NOT_FOUND', phrase('result_file_damaged'))
  }
}
