import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StartError } from '../errors.js'
import type { DataFolder } from './data-folder.js'

/** Folders whose entries a database describes. */
const DESCRIBED = ['runs', 'studies', 'workflows']

/**
 * A new database next to existing runs would not show them, and leave them behind permanently.
 * @throws StartError when the database is missing or empty, and the data folder is not.
 */
export async function refuseMissingDatabase({
  path,
  database,
}: Pick<DataFolder, 'path' | 'database'>): Promise<void> {
  const size = await stat(database).then(
    (found) => found.size,
    () => null,
  )
  if (size !== null && size > 0) return
  const filled = await filledOf(path)
  if (filled.length === 0) return
  throw new StartError(
    `${basename(database)} is ${size === null ? 'missing' : 'empty'} in the data folder ${path}, which contains ${filled.join(', ')}`,
    `Restore ${basename(database)} from a backup, set --database-url if the tables are on a database server, or choose another folder with --data-dir. To start with an empty database, first move ${filled.join(', ')} out of the folder.`,
  )
}

/**
 * An empty database on a server would leave the runs of the folder behind in the same way.
 * @param path the data folder
 * @throws StartError when the data folder contains runs, studies or workflows.
 */
export async function refuseEmptyDatabase(path: string): Promise<void> {
  const filled = await filledOf(path)
  if (filled.length === 0) return
  throw new StartError(
    `the database at --database-url is empty, but the data folder ${path} contains ${filled.join(', ')}`,
    `Restore the database from a backup, or set the --database-url of the database that describes this folder. To start with an empty database, first move ${filled.join(', ')} out of the folder.`,
  )
}

async function filledOf(path: string): Promise<string[]> {
  const counts = await Promise.all(DESCRIBED.map(async (name) => (await readdir(join(path, name))).length))
  return DESCRIBED.filter((_, index) => (counts[index] ?? 0) > 0)
}
