import { PATH_KEYS, type TrainingConfig } from '@medloom/contracts'
import { type NamedRoot, resolveStoredPath, StoredPath, toStoredPath } from '../../security/named-roots.js'

/** Converts the paths of configurations for storage and back: the service works with absolute paths. */
export class StoredPaths {
  constructor(readonly roots: readonly NamedRoot[]) {}

  /** The configuration with every path below a root written as that root and a relative path. Other paths stay absolute. */
  toStored(config: object): object {
    return mapPaths(config, (value) => (typeof value === 'string' ? toStoredPath(this.roots, value) : value))
  }

  /** The stored configuration with absolute paths, based on the current locations of the roots. Older versions stored absolute paths. */
  fromStored(stored: object): TrainingConfig {
    return mapPaths(stored, (value) => {
      const path = StoredPath.safeParse(value)
      return path.success ? resolveStoredPath(this.roots, path.data) : value
    }) as TrainingConfig
  }
}

function mapPaths(config: object, change: (value: unknown) => unknown): object {
  const changed = { ...config } as Record<string, Record<string, unknown> | undefined>
  for (const { section, key } of PATH_KEYS) {
    const keys = changed[section]
    if (keys && key in keys) changed[section] = { ...keys, [key]: change(keys[key]) }
  }
  return changed
}
