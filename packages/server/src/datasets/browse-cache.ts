import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { browseFolders } from '../storage/browse-folders.js'

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
  const { tables, images, cases } = browseFolders(cache)
  const entries = [...(await indexesIn(tables)), ...(await filesIn(images)), ...(await filesIn(cases))]
  const oldest = Date.now() - seconds * 1000
  let total = entries.reduce((sum, one) => sum + one.bytes, 0)
  for (const one of entries.sort((a, b) => a.usedAt - b.usedAt)) {
    if (one.usedAt >= oldest && total <= bytes) break
    await rm(one.path, { recursive: true, force: true })
    total -= one.bytes
  }
}

async function indexesIn(folder: string): Promise<Kept[]> {
  const entries: Kept[] = []
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const files = await Promise.all(
      (await namesIn(path)).map((file) => stat(join(path, file)).catch(() => null)),
    )
    const own = await stat(path).catch(() => null)
    if (own)
      entries.push({
        path,
        bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0),
        usedAt: own.mtimeMs,
      })
  }
  return entries
}

async function filesIn(folder: string): Promise<Kept[]> {
  const entries: Kept[] = []
  for (const part of await namesIn(folder))
    await forEachLimit(16, await namesIn(join(folder, part)), async (name) => {
      const path = join(folder, part, name)
      const found = await stat(path).catch(() => null)
      if (found) entries.push({ path, bytes: found.size, usedAt: found.mtimeMs })
    })
  return entries
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
