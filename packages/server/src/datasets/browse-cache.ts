import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { keptTables } from '../evaluations/cases/kept-tables.js'

interface Kept {
  readonly path: string
  readonly bytes: number
  readonly usedAt: number
}

/**
 * Remove indexes and pictures from the cache that were not used for this long, and the least recently used ones beyond the limit. Each is
 * created again on request.
 */
export async function trimBrowseCache(
  cache: string,
  seconds: number,
  bytes: number = LIMITS.browse_cache_bytes,
) {
  const kept = [
    ...(await indexesIn(join(cache, 'browse', 'tables'))),
    ...(await filesIn(join(cache, 'browse', 'images'))),
    ...(await filesIn(keptTables(cache))),
  ]
  const oldest = Date.now() - seconds * 1000
  let left = kept.reduce((sum, one) => sum + one.bytes, 0)
  for (const one of kept.sort((a, b) => a.usedAt - b.usedAt)) {
    if (one.usedAt >= oldest && left <= bytes) break
    await rm(one.path, { recursive: true, force: true })
    left -= one.bytes
  }
}

async function indexesIn(folder: string): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const files = await Promise.all(
      (await namesIn(path)).map((file) => stat(join(path, file)).catch(() => null)),
    )
    const own = await stat(path).catch(() => null)
    if (own)
      kept.push({ path, bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0), usedAt: own.mtimeMs })
  }
  return kept
}

async function filesIn(folder: string): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const part of await namesIn(folder))
    await forEachLimit(16, await namesIn(join(folder, part)), async (name) => {
      const path = join(folder, part, name)
      const found = await stat(path).catch(() => null)
      if (found) kept.push({ path, bytes: found.size, usedAt: found.mtimeMs })
    })
  return kept
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
