import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { CacheLimit } from '@medloom/contracts'
import type { Settings } from '../settings.js'
import type { DataFolder } from './data-folder.js'
import { writeJsonAtomically } from './files.js'

/** Store the limit of all prepared images in the file that every preparing process reads first. */
export async function limitImageCache(
  { path, cache }: Pick<DataFolder, 'path' | 'cache'>,
  setting: Settings['imageCache'],
): Promise<void> {
  const limit: CacheLimit = { limit_bytes: await inBytes(setting, path) }
  await writeJsonAtomically(join(cache, 'limit.json'), limit)
}

async function inBytes(setting: Settings['imageCache'], folder: string): Promise<number> {
  if ('bytes' in setting) return setting.bytes
  const { bsize, blocks } = await statfs(folder)
  return Math.floor(setting.share * bsize * blocks)
}
