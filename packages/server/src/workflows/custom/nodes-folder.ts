import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from '../../errors.js'
import { isInside } from '../../security/inside.js'

/** A folder that clients can write to, through the service or through trainings and nodes. */
export interface WrittenFolder {
  readonly path: string
  /** As a person knows it: "the data folder". */
  readonly title: string
}

/**
 * The files of the folder of custom nodes are run, so nobody may be able to write there: it neither holds nor lies in a written folder, once
 * links are followed.
 *
 * @throws StartError where it is not a folder, or where they overlap
 */
export async function refuseNodesFolder(
  folder: string | null,
  written: readonly WrittenFolder[],
): Promise<void> {
  if (folder === null) return
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartError(`--nodes: ${folder} is not a folder`, 'Make it, or name another folder.')
  const own = await realpath(folder)
  for (const { path, title } of written) {
    const other = await realFolder(path)
    if (isInside([other], own) || isInside([own], other))
      throw new StartError(
        `--nodes: the folder of custom nodes and ${title} must lie apart, because clients can write to the latter`,
        `Name a folder that is neither inside ${other} nor above it.`,
      )
  }
}

/** A folder of other machines need not exist on this one. */
async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path) throw error
    return `${await realFolder(parent)}${path.slice(parent.length)}`
  }
}
