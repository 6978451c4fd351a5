import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from './null-if-missing.js'

const HOUR = 3600 * 1000

type Names = 'service' | 'trainer'

/**
 * Time since the last write after which nobody finishes a temporary file, in milliseconds. The service writes content that it has in memory,
 * or a copy; a worker may compute while its file is open. The times are long, since the clock of a file server may differ.
 */
const ABANDONED: Readonly<Record<Names, number>> = { service: HOUR, trainer: 24 * HOUR }

const TEMPORARY: Readonly<Record<Names, RegExp>> = {
  /** Files that the service writes next to their target and renames, and its candidates for the id of the folder. */
  service: /(\.[0-9a-f]{12}\.tmp|^folder-id\.[0-9a-f-]{36})$/,
  /** Files and folders that workers and trainers write next to their target and rename, and examples that are being created. */
  trainer: /^(\.(.+\.|new-)[a-z0-9_]{8}|example-[0-9a-f-]{36})$/,
}

/**
 * Folders in the data folder that are searched with their subfolders. Users may keep own files in projects and outputs, so names of the
 * trainer, which are less specific, are not removed there. Artifacts and image stores have their own cleanup.
 */
const SEARCHED: Readonly<Record<string, readonly Names[]>> = {
  'incoming/finished': ['service'],
  workflows: ['service'],
  outputs: ['service'],
  cache: ['service', 'trainer'],
  studies: ['service', 'trainer'],
  'follow-ups': ['service', 'trainer'],
  predictions: ['service', 'trainer'],
}
/** The same in the folder of a run. Its other folders belong to its trainer, after whose end `removePartialFiles` searches them. */
const SEARCHED_IN_RUN = ['reports', 'evaluations', 'artifacts'] as const

export interface AbandonedFilesOptions {
  /** The data folder. */
  readonly folder: string
  readonly now?: number
  readonly onFault: (error: unknown) => void
}

/** Remove temporary files that killed processes have left in the data folder, and that nothing finishes any more. */
export async function removeAbandonedFiles({
  folder,
  now = Date.now(),
  onFault,
}: AbandonedFilesOptions): Promise<void> {
  const isAbandoned = async (name: string, path: string, kinds: readonly Names[]) => {
    const kind = kinds.find((candidate) => TEMPORARY[candidate].test(name))
    const found = kind && (await nullIfMissing(stat(path)))
    return kind !== undefined && found ? now - found.mtimeMs > ABANDONED[kind] : false
  }
  /** Removes abandoned entries. @returns the folders in it, without links */
  const search = async (path: string, kinds: readonly Names[]): Promise<string[]> => {
    const folders: string[] = []
    try {
      for (const entry of (await nullIfMissing(readdir(path, { withFileTypes: true }))) ?? []) {
        const inside = join(path, entry.name)
        if (await isAbandoned(entry.name, inside, kinds)) await rm(inside, { recursive: true, force: true })
        else if (entry.isDirectory()) folders.push(inside)
      }
    } catch (error) {
      onFault(error)
    }
    return folders
  }
  const searchAll = async (path: string, kinds: readonly Names[]): Promise<void> => {
    for (const inside of await search(path, kinds)) await searchAll(inside, kinds)
  }

  await search(folder, ['service'])
  for (const [name, kinds] of Object.entries(SEARCHED)) await searchAll(join(folder, name), kinds)
  for (const run of await search(join(folder, 'runs'), [])) {
    await search(run, ['service'])
    for (const name of SEARCHED_IN_RUN) await searchAll(join(run, name), ['service', 'trainer'])
  }
}
