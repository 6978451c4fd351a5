import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CacheRepository } from './cache.repository.js'

/** A file younger than this may belong to a result that is being kept at this moment. */
const GRACE_MILLISECONDS = 10 * 60 * 1000

export interface CollectOptions {
  readonly folder: string
  readonly repository: CacheRepository
  /** `<sha256><suffix>` of the files that results which are held refer to. */
  readonly held: () => ReadonlySet<string>
  readonly now?: () => number
}

/** Remove the files of the artifact store that no result refers to and nobody holds. @returns how many. */
export async function collectGarbage({
  folder,
  repository,
  held,
  now = Date.now,
}: CollectOptions): Promise<number> {
  let removed = 0
  for (const prefix of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue
    const names = await readdir(join(folder, prefix))
    if (names.length === 0) continue
    const referred = await repository.filesStartingWith(prefix)
    for (const name of names) {
      const path = join(folder, prefix, name)
      const found = await stat(path).catch(() => null)
      if (!found || now() - found.mtimeMs < GRACE_MILLISECONDS) continue
      // Looked up last, with nothing awaited between this and the removal.
      if (referred.has(name) || held().has(name)) continue
      await rm(path, { force: true })
      removed++
    }
  }
  return removed
}
