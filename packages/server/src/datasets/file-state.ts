import { createHash } from 'node:crypto'
import { opendir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Dataset,
  type Inspection,
  inEnglish,
  type Phrase,
  phrase,
  type Recipe,
} from '@medloom/contracts'
import { nullIfUnreadable } from '../storage/null-if-missing.js'
import { READABLE_TABLE } from '../storage/readable-tables.js'
import { systemFault } from '../system-fault.js'
import { filesOfPattern, patternsBelow } from './recipe-tables.js'

type Check = Inspection['readiness']['checks'][number]
type Described = Pick<Dataset, 'path' | 'image_root' | 'readiness' | 'files_mark'>

/** Tables in the marks of earlier versions. */
const EARLIER_TABLE = /\.(csv|xlsx|json)$/i
/** Begins marks that cover every table in the folder of the source. */
const EVERY_TABLE = '2:'

/**
 * Tables of a dataset, or its class folders if it has no table: the files that an inspection reads first. Empty: the path does not exist.
 */
export async function filesOf(path: string, isTable = isReadable): Promise<string[]> {
  const found = await nullIfUnreadable(stat(path))
  if (!found) return []
  if (!found.isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const tables = entries.filter(({ name }) => isTable(name))
  const inside = tables.length > 0 ? tables : entries.filter((entry) => entry.isDirectory())
  return inside.map(({ name }) => join(path, name)).sort()
}

/** Bytes of a table. A folder has no size of its own, and the worker reports missing files. */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() ? found.size : 0
}

/**
 * Names, sizes and times of these files and of the tables that a recipe reads from subfolders, whose patterns follow in lines of their own.
 * A different mark means different content; null: the path does not exist.
 */
export async function markOf(path: string, recipe?: Pick<Recipe, 'files'> | null): Promise<string | null> {
  return markWith(path, patternsBelow(recipe))
}

async function markWith(path: string, patterns: readonly string[]): Promise<string | null> {
  const below = await Promise.all(patterns.map((pattern) => filesOfPattern(path, pattern)))
  const files = await filesOf(path)
  const digest = files.length > 0 ? await digestOf([...files, ...below.flat()], path) : null
  return digest && [EVERY_TABLE + digest, ...patterns].join('\n')
}

/** Returns true if the mark, which an earlier version may have made, is that of the current files. */
async function hasMark(path: string, mark: string): Promise<boolean> {
  const [, ...patterns] = mark.split('\n')
  if (mark.startsWith(EVERY_TABLE)) return mark === (await markWith(path, patterns))
  return mark === (await digestOf(await filesOf(path, (name) => EARLIER_TABLE.test(name)), path))
}

/** Text files are mostly notes about a dataset. */
function isReadable(name: string): boolean {
  return READABLE_TABLE.test(name) && !/\.txt$/i.test(name)
}

async function digestOf(files: readonly string[], path: string): Promise<string | null> {
  const hash = createHash('sha256')
  for (const file of files) {
    const found = await nullIfUnreadable(stat(file))
    hash.update(JSON.stringify([file.slice(path.length), found?.size ?? null, found?.mtimeMs ?? null]))
  }
  return files.length > 0 ? hash.digest('hex') : null
}

/** The dataset with its current readiness: its files may have been changed, moved or removed since their inspection. */
export async function withFileState<D extends Described>(dataset: D): Promise<D> {
  const check = await checkFiles(dataset)
  if (check === null) return dataset
  const { status, checks } = dataset.readiness
  const isWorse = check.status === 'blocked' || status === 'ready'
  return {
    ...dataset,
    readiness: { status: isWorse ? check.status : status, checks: [check, ...checks] },
  }
}

async function checkFiles({ path, image_root, files_mark }: Described): Promise<Check | null> {
  for (const needed of [path, ...(image_root ? [image_root] : [])])
    if (!(await orNull(nullIfUnreadable(stat(needed))))) return missing(needed)
  if (image_root && (await orNull(isEmptyFolder(image_root))))
    return unusable(phrase('folder_without_files', { path: image_root }))
  if (!(await orNull(filesOf(path)))?.length) return missing(path)
  if (files_mark === undefined) return null
  const isUnchanged = await orNull(hasMark(path, files_mark))
  if (isUnchanged === null) return missing(path)
  return isUnchanged ? null : CHANGED
}

/** A folder with images is too large for a list of its files, so only its first entry is read. */
async function isEmptyFolder(path: string): Promise<boolean> {
  if (!(await stat(path)).isDirectory()) return false
  const folder = await opendir(path)
  try {
    return (await folder.read()) === null
  } finally {
    await folder.close()
  }
}

/** null where a disk fails, too: one dataset on it keeps nobody from the list of all. */
function orNull<Found>(found: Promise<Found>): Promise<Found | null> {
  return found.catch((error) => {
    if (systemFault(error)) return null
    throw error
  })
}

const CHANGED: Check = {
  key: 'files_changed',
  status: 'warning',
  ...worded(phrase('files_changed'), phrase('do_inspect_again')),
}

function missing(path: string): Check {
  return unusable(phrase('files_not_found', { path }))
}

function unusable(reason: Phrase): Check {
  return { key: 'files_missing', status: 'blocked', ...worded(reason, phrase('do_restore_files')) }
}

function worded(message: Phrase, hint: Phrase): Omit<Check, 'key' | 'status'> {
  return {
    ...{ message: inEnglish([message]), message_phrases: [message] },
    ...{ hint: inEnglish([hint]), hint_phrases: [hint] },
  }
}
