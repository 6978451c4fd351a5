import { rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { ARTIFACT_GRACE_MILLISECONDS } from '../../durations.js'
import type { CacheRepository } from './cache.repository.js'

export interface CollectOptions {
  readonly folder: string
  readonly repository: CacheRepository
  /** `<sha256><suffix>` of the files to which leased results refer. */
  readonly held: () => ReadonlySet<string>
  /** Aborted when a run begins, which may find any existing file and refer to it: nothing is removed from then on. */
  readonly signal: AbortSignal
  readonly now?: () => number
}

/** Remove the files of the artifact store to which no result refers and that nobody holds. @returns their number. */
export async function collectGarbage({
  folder,
  repository,
  held,
  signal,
  now = Date.now,
}: CollectOptions): Promise<number> {
  let removed = 0
  for (const prefix of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue
    const names = await readdir(join(folder, prefix))
    if (names.length === 0) continue
    const referred = await repository.filesStartingWith(prefix)
    const holding = held()
    for (const name of names) {
      await yieldIfDue()
      if (referred.has(name)) continue
      // Synchronous from here on: no run can begin, and no file change, between the checks and the removal.
      if (signal.aborted) return removed
      if (holding.has(name) || isYoung(join(folder, prefix, name), now())) continue
      rmSync(join(folder, prefix, name), { force: true })
      removed++
    }
  }
  return removed
}

function isYoung(path: string, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return !found || now - found.mtimeMs < ARTIFACT_GRACE_MILLISECONDS
}
