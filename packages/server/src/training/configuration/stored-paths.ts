import { isAbsolute, join, relative, sep } from 'node:path'
import { PATH_KEYS, type TrainingConfig } from '@medloom/contracts'
import { z } from 'zod'
import type { NamedRoot } from '../../security/named-roots.js'

/** A path as configurations store it: a root and what follows below it. */
const StoredPath = z.object({
  root: z.string(),
  /** Relative, with / between its parts; empty: the root itself. */
  path: z.string(),
  /** Where the root lay when this was stored. */
  folder: z.string(),
})
type StoredPath = z.infer<typeof StoredPath>

/** Paths of configurations on their way into the database and out of it: the service works with absolute ones. */
export class StoredPaths {
  constructor(readonly roots: readonly NamedRoot[]) {}

  /** The configuration with every path below a root as that root and a relative path. Other paths stay absolute. */
  toStored(config: TrainingConfig): object {
    return mapPaths(config, (value) =>
      typeof value === 'string' && isAbsolute(value) ? this.#below(value) : value,
    )
  }

  /** The stored configuration with absolute paths, where its roots lie today. Older versions stored absolute paths. */
  fromStored(stored: object): TrainingConfig {
    return mapPaths(stored, (value) => {
      const path = StoredPath.safeParse(value)
      return path.success ? this.#resolve(path.data) : value
    }) as TrainingConfig
  }

  #below(path: string): StoredPath | string {
    const around = this.roots.filter(({ folder }) => {
      const below = relative(folder, path)
      return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
    })
    const [nearest] = around.sort((a, b) => b.folder.length - a.folder.length)
    if (!nearest) return path
    const { name, folder } = nearest
    return { root: name, path: relative(folder, path).split(sep).join('/'), folder }
  }

  /** A root that lies where it lay is the same, whatever it is called now. One that is not configured any more is named as it was. */
  #resolve({ root, path, folder }: StoredPath): string {
    const found =
      this.roots.find((known) => known.folder === folder) ?? this.roots.find(({ name }) => name === root)
    return join(found?.folder ?? folder, ...path.split('/'))
  }
}

function mapPaths(config: object, change: (value: unknown) => unknown): object {
  const changed = structuredClone(config) as Record<string, Record<string, unknown> | undefined>
  for (const { section, key } of PATH_KEYS) {
    const keys = changed[section]
    if (keys && key in keys) keys[key] = change(keys[key])
  }
  return changed
}
