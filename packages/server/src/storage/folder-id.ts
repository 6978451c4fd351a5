import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file that holds it. */
export const FOLDER_ID = 'folder-id'

/**
 * What the data folder is called, wherever it is mounted: processes that share a database tell by it whether they also share the folder. It
 * is given by whoever comes first.
 */
export async function folderId(folder: string): Promise<string> {
  const file = join(folder, FOLDER_ID)
  const own = `${file}.${randomUUID()}`
  const known = () => readFile(file, 'utf8').then((text) => text.trim())
  return known().catch(async () => {
    await writeFile(own, `${randomUUID()}\n`, { mode: 0o600 })
    // Complete or not there at all, and never over that of another process.
    await link(own, file).catch(() => undefined)
    await rm(own, { force: true })
    return known()
  })
}
