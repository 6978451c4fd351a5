import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isInside } from '../../storage/is-inside.js'

/** A dataset of folders has its images in <split>/<class>: the trainer follows links to folders down to this depth. */
const LINKED_LEVELS = 2

/** The files of a folder and its subfolders, sorted; hidden files, and links to targets outside the roots, are left out. */
export async function filesOf(
  folder: string,
  recursive: boolean,
  roots: readonly string[],
): Promise<string[]> {
  const files: string[] = []
  const enter = async (place: string, level: number): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue
      const path = join(place, entry.name)
      if (entry.isDirectory()) {
        if (recursive) await enter(path, level + 1)
      } else if (entry.isFile()) files.push(path)
      else if (entry.isSymbolicLink()) await follow(path, level)
    }
  }
  const follow = async (link: string, level: number): Promise<void> => {
    const found = await stat(link).catch(() => null)
    if (!found || !isInside(roots, await realpath(link))) return
    if (found.isFile()) files.push(link)
    else if (found.isDirectory() && recursive && level < LINKED_LEVELS) await enter(link, level + 1)
  }
  await enter(folder, 0)
  return files.sort()
}
