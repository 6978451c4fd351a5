import { basename } from 'node:path'

/** A root by name: a stored path says the name, so that it is found again when the folder has moved. */
export interface NamedRoot {
  readonly name: string
  readonly folder: string
}

/** The name of the data folder. No root that somebody names can have it. */
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
