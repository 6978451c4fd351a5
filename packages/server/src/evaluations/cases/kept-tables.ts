import { createHash } from 'node:crypto'
import { readFile, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { writeTextAtomically } from '../../storage/files.js'
import { makeFolder } from '../../storage/own-folder.js'
import type { CaseTable } from './case-table.js'

/** Of the columns of CaseTable: tables of another format are made again. */
const FORMAT = 1

interface Kept {
  readonly format: number
  /** State of the document that the table was made of. */
  readonly seen: string
  readonly table: CaseTable
}

/** Where the tables of evaluations are kept: below `cache/browse`, which is trimmed. */
export function keptTables(cache: string): string {
  return join(cache, 'browse', 'cases')
}

/** A table that was made before of the document in this state. Null: none, or damaged: it is made again. */
export async function readKept(folder: string, key: string, seen: string): Promise<CaseTable | null> {
  const file = fileOf(folder, key)
  try {
    const kept = deserialize(await readFile(file)) as Kept
    if (kept.format !== FORMAT || kept.seen !== seen) return null
    // The least recently used ones are removed first.
    const now = new Date()
    await utimes(file, now, now)
    return kept.table
  } catch {
    return null
  }
}

/** A full disk costs only the time to make it again. */
export async function keep(folder: string, key: string, seen: string, table: CaseTable): Promise<void> {
  const file = fileOf(folder, key)
  try {
    await makeFolder(dirname(file))
    await writeTextAtomically(file, serialize({ format: FORMAT, seen, table } satisfies Kept))
  } catch {
    // It is made again.
  }
}

/** A digest: the name tells nothing of a path. */
function fileOf(folder: string, key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return join(folder, name.slice(0, 2), name)
}
