import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CaseQuery, FailureImages } from '@medloom/contracts'
import { isWrittenBy } from '../../storage/written-by.js'
import { type CaseTable, readCaseTable, type TableSource } from './case-table.js'
import { type FoundCases, findCases } from './find-cases.js'

/** A query on the evaluation whose document is `file`. */
export interface CaseRequest {
  readonly file: string
  /** Where images of failure cases are, if there are any. */
  readonly images: string
  /** That must have written it; null: any. */
  readonly attempt: number | null
  readonly query: CaseQuery
  readonly offset: number
  readonly size: number
}

/** Tables that are kept for the next query. */
const KEPT = 4

/** By document; the newest last. */
const tables = new Map<string, { readonly seen: string; readonly table: CaseTable }>()

/** @returns null where the document or its predictions are missing, damaged, or of another attempt. */
export async function answer({ query, offset, size, ...written }: CaseRequest): Promise<FoundCases | null> {
  const table = await tableOf(written).catch(() => null)
  return table && findCases(table, query, offset, size)
}

type Written = Pick<CaseRequest, 'file' | 'images' | 'attempt'>

async function tableOf(written: Written): Promise<CaseTable | null> {
  const { file, attempt } = written
  const { mtimeMs, size, ino } = await stat(file)
  const seen = [mtimeMs, size, ino, attempt].join(' ')
  const kept = tables.get(file)
  tables.delete(file)
  const table = kept?.seen === seen ? kept.table : await read(written)
  if (!table) return null
  tables.set(file, { seen, table })
  for (const oldest of [...tables.keys()].slice(0, -KEPT)) tables.delete(oldest)
  return table
}

async function read({ file, images, attempt }: Written): Promise<CaseTable | null> {
  const source = JSON.parse(await readFile(file, 'utf8')) as TableSource
  if (attempt !== null && !isWrittenBy(source, attempt)) return null
  // The trainer names a file beside its own: nothing else is read.
  const csv = await readFile(join(dirname(file), basename(source.predictions)), 'utf8')
  const shown = await readFile(images, 'utf8').catch(() => 'null')
  return readCaseTable(csv, source, JSON.parse(shown) as FailureImages | null)
}
