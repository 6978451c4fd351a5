import { createHash } from 'node:crypto'
import { readFile, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { writeTextAtomically } from '../../storage/files.js'
import { makeInnerFolder } from '../../storage/own-folder.js'
import type { CaseTable } from './case-table.js'

/** Version of the columns of CaseTable: tables of another format are created again. */
const FORMAT = 1

interface CachedTable {
  readonly format: number
  /** State of the document from which the table was created. */
  readonly seen: string
  readonly table: CaseTable
}

/** The stored table of the document in this state. Null: there is none or it is damaged, so it is created again. */
export async function readCachedTable(folder: string, key: string, seen: string): Promise<CaseTable | null> {
  const file = fileOf(folder, key)
  try {
    const stored = deserialize(await readFile(file)) as CachedTable
    if (stored.format !== FORMAT || stored.seen !== seen) return null
    // The least recently used ones are removed first.
    const now = new Date()
    await utimes(file, now, now)
    return stored.table
  } catch {
    return null
  }
}

/** On a full disk, or while the data folder is missing, the table is only created again later. */
export async function writeCachedTable(
  folder: string,
  key: string,
  seen: string,
  table: CaseTable,
): Promise<void> {
  const file = fileOf(folder, key)
  try {
    // This thread does not know the data folder: without a cache folder, none is created where it was.
    for (const inner of [dirname(folder), folder, dirname(file)]) makeInnerFolder(inner)
    await writeTextAtomically(file, serialize({ format: FORMAT, seen, table } satisfies CachedTable))
  } catch {
    // The table is created again.
  }
}

/** A digest, so that the name reveals nothing about the path. */
function fileOf(folder: string, key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return join(folder, name.slice(0, 2), name)
}
