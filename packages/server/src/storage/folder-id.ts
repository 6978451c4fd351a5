import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file that contains the id. */
export const FOLDER_ID = 'folder-id'

/**
 * Id of the data folder, independent of its mount point: processes that share a database use it to check whether they also share the
 * folder. The first process creates it.
 */
export async function folderId(folder: string): Promise<string> {
  const file = join(folder, FOLDER_ID)
  const own = `${file}.${randomUUID()}`
  const known = () => readFile(file, 'utf8').then((text) => text.trim())
  return known().catch(async () => {
    await writeFile(own, `${randomUUID()}\n`, { mode: 0o600 })
    // The link creates a complete file or none, and never replaces that of another process.
    await link(own, file).catch(() => undefined)
    await rm(own, { force: true })
    return known()
  })
}
