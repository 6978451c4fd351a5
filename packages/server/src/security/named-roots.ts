import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { z } from 'zod'

/** A root with its name: a stored path contains the name, so that it is found again after the folder has moved. */
export interface NamedRoot {
  readonly name: string
  readonly folder: string
}

/** A path in its stored form: a root and the path below it. */
export const StoredPath = z.object({
  root: z.string(),
  /** Relative path, with / between its parts; empty: the root itself. */
  path: z.string(),
  /** Location of the root when this was stored. */
  folder: z.string(),
})
export type StoredPath = z.infer<typeof StoredPath>

/** The name of the data folder. No other root can have it. */
export const DATA_ROOT = '@data'

/**
 * Names the roots and the data folder: with their given names, otherwise with the last part of their path; a name that is already used gets
 * a number.
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

/** An absolute path relative to the nearest root around it; any other path unchanged. */
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
 * The absolute path at the current location of its root. A root at the same location is the same, whatever its name is now; otherwise the
 * name decides. The path of a root that is not configured any more is unchanged.
 */
export function resolveStoredPath(roots: readonly NamedRoot[], { root, path, folder }: StoredPath): string {
  const found = roots.find((known) => known.folder === folder) ?? roots.find(({ name }) => name === root)
  return join(found?.folder ?? folder, ...path.split('/'))
}
