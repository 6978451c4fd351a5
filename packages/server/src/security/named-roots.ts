import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { z } from 'zod'

/** A root by name: a stored path holds the name, so that it is found again after the folder has moved. */
export interface NamedRoot {
  readonly name: string
  readonly folder: string
}

/** A path as it is stored: a root and what follows below it. */
export const StoredPath = z.object({
  root: z.string(),
  /** Relative, with / between its parts; empty: the root itself. */
  path: z.string(),
  /** Where the root was when this was stored. */
  folder: z.string(),
})
export type StoredPath = z.infer<typeof StoredPath>

/** The name of the data folder. No named root can have it. */
export const DATA_ROOT = '@data'

/**
 * The roots and the data folder by name: as they were named, else by the last part of their path; a name that is taken gets a number.
 * @param names folder → name
 */
export function nameRoots(
  folders: readonly string[],
  dataDir: string,
  names: Readonly<Record<string, string>> = {},
): NamedRoot[] {
  const taken = new Set(Object.values(names))
  const named = folders.map((folder): NamedRoot => {
    const own = names[folder]
    if (own !== undefined) return { name: own, folder }
    const stem = basename(folder) || 'root'
    let name = stem
    for (let number = 2; taken.has(name); number++) name = `${stem}-${number}`
    taken.add(name)
    return { name, folder }
  })
  return [...named, { name: DATA_ROOT, folder: dataDir }]
}

/** An absolute path below the nearest root around it; any other path as it is. */
export function toStoredPath(roots: readonly NamedRoot[], path: string): StoredPath | string {
  if (!isAbsolute(path)) return path
  const around = roots.filter(({ folder }) => {
    const below = relative(folder, path)
    return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
  })
  const [nearest] = around.sort((a, b) => b.folder.length - a.folder.length)
  if (!nearest) return path
  const { name, folder } = nearest
  return { root: name, path: relative(folder, path).split(sep).join('/'), folder }
}

/**
 * The absolute path where its root is today. A root in the same place is the same, whatever its name is now; otherwise the name
 * decides. The path of a root that is not configured any more is as it was.
 */
export function resolveStoredPath(roots: readonly NamedRoot[], { root, path, folder }: StoredPath): string {
  const found = roots.find((known) => known.folder === folder) ?? roots.find(({ name }) => name === root)
  return join(found?.folder ?? folder, ...path.split('/'))
}
