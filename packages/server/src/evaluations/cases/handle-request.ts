import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CaseQuery, ComparedCaseQuery, FailureImages } from '@medloom/contracts'
import { belongsToAttempt } from '../../storage/belongs-to-attempt.js'
import { nullIfMissing } from '../../storage/null-if-missing.js'
import { systemFault } from '../../system-fault.js'
import { type CaseTable, readCaseTable, type TableSource } from './case-table.js'
import { readCachedTable, writeCachedTable } from './case-table-cache.js'
import { type FoundCases, findCases } from './find-cases.js'
import { type FoundComparedCases, findComparedCases } from './find-compared-cases.js'

/** A query on the evaluation whose document is `file`. */
export interface CaseRequest {
  readonly file: string
  /** Folder with images of failure cases, if there are any. */
  readonly images: string
  /** Attempt that must have written the document; null: any attempt. */
  readonly attempt: number | null
  readonly query: CaseQuery
  readonly offset: number
  readonly size: number
}

/** A query on two models of the comparison whose document is `file`. */
export interface ComparedRequest {
  readonly file: string
  /** Names of two models. */
  readonly pair: readonly [string, string]
  readonly query: ComparedCaseQuery
  readonly offset: number
  readonly size: number
}

/** Create the tables of a document that was just written, before the first query. */
export interface PrepareRequest {
  readonly file: string
  readonly images: string | null
  readonly attempt: number | null
  /** Names of the models of a comparison; absent: an evaluation. */
  readonly models?: readonly string[]
}

/** Number of tables that stay in memory for the next query. */
const KEPT = 4

/** By document and model, newest last. */
const tables = new Map<string, { readonly seen: string; readonly table: Promise<CaseTable | null> }>()

export type Request = CaseRequest | ComparedRequest | PrepareRequest
export type Found<R extends Request> = R extends ComparedRequest
  ? FoundComparedCases
  : R extends CaseRequest
    ? FoundCases
    : null

/**
 * @param kept folder with tables that were created before
 * @returns null if the document or its predictions are missing, damaged, or from another attempt.
 */
export async function handleRequest(
  request: Request,
  folder: string,
): Promise<FoundCases | FoundComparedCases | null> {
  if ('pair' in request) return answerCompared(request, folder)
  if (!('query' in request)) return prepare(request, folder)
  const { query, offset, size, ...written } = request
  const table = await tableOf({ ...written, model: null }, folder).catch(unlessOfMachine)
  return table && findCases(table, query, offset, size)
}

async function prepare({ models = [], ...written }: PrepareRequest, folder: string): Promise<null> {
  for (const model of models.length > 0 ? models : [null])
    await tableOf({ ...written, model }, folder).catch(() => null)
  return null
}

async function answerCompared({ file, pair, query, offset, size }: ComparedRequest, folder: string) {
  const tables = await Promise.all(
    pair.map((model) => tableOf({ file, model, images: null, attempt: null }, folder).catch(unlessOfMachine)),
  )
  const [first, second] = tables
  return first && second ? findComparedCases(first, second, query, offset, size) : null
}

/** The file counts as missing or damaged, unless the error is a fault of the machine: then it may be intact. */
function unlessOfMachine(error: unknown): null {
  if (systemFault(error)) throw error
  return null
}

interface Written {
  readonly file: string
  readonly images: string | null
  readonly attempt: number | null
  /** Name of the model in a comparison. */
  readonly model: string | null
}

async function tableOf(written: Written, folder: string): Promise<CaseTable | null> {
  const { file, attempt, model } = written
  const { mtimeMs, size, ino } = await stat(file)
  const seen = [mtimeMs, size, ino, attempt].join(' ')
  const key = `${file}\n${model}`
  const known = tables.get(key)
  tables.delete(key)
  // A query that arrives while the table is being created waits for it.
  const table = known?.seen === seen ? known.table : readOrMake(written, key, seen, folder)
  tables.set(key, { seen, table })
  for (const oldest of [...tables.keys()].slice(0, -KEPT)) tables.delete(oldest)
  return table
}

async function readOrMake(
  written: Written,
  key: string,
  seen: string,
  folder: string,
): Promise<CaseTable | null> {
  const before = await readCachedTable(folder, key, seen)
  if (before) return before
  const made = await read(written)
  if (made) await writeCachedTable(folder, key, seen, made)
  return made
}

async function read({ file, images, attempt, model }: Written): Promise<CaseTable | null> {
  const source = JSON.parse(await readFile(file, 'utf8')) as TableSource
  if (attempt !== null && !belongsToAttempt(source, attempt)) return null
  // The trainer names a file in the same folder: no other file is read.
  const csv = await readFile(join(dirname(file), basename(source.predictions)), 'utf8')
  const shown = images === null ? 'null' : ((await nullIfMissing(readFile(images, 'utf8'))) ?? 'null')
  return readCaseTable(csv, source, JSON.parse(shown) as FailureImages | null, model)
}
