import { readdir, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../../errors.js'
import { isInside } from '../../storage/is-inside.js'

/** The maximum number of links that Linux follows in one path. */
const MOST_LINKS = 40

/** A folder that clients can write to, through the service or through trainings and nodes. */
export interface WrittenFolder {
  readonly path: string
  /** Name for messages: "the data folder". */
  readonly title: string
}

/** The folders that a service writes to: an inner folder of the data folder may be a link to another disk. */
export async function writtenFolders({
  data,
  outputs,
  siteRoots = {},
}: {
  readonly data: string
  readonly outputs: string
  readonly siteRoots?: Readonly<Record<string, string>> | undefined
}): Promise<readonly WrittenFolder[]> {
  const inner = await readdir(data, { withFileTypes: true })
  return [
    { path: data, title: 'the data folder' },
    ...inner
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => ({ path: join(data, name), title: `the folder ${name} of the data folder` })),
    { path: outputs, title: 'the output folder' },
    ...Object.entries(siteRoots).map(([name, path]) => ({ path, title: `--site-root ${name}` })),
  ]
}

/**
 * The files in the folder of custom nodes are executed, so no client may be able to write there: after links are resolved, it neither
 * contains nor is inside a written folder, and none of its links leads to one.
 *
 * @throws StartError if it is not a folder, if they overlap, or if a link leads to a written folder
 */
export async function refuseNodesFolder(
  folder: string | null,
  written: readonly WrittenFolder[],
): Promise<void> {
  if (folder === null) return
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartError(`--nodes: ${folder} is not a folder`, 'Create the folder, or use another folder.')
  const own = await realpath(folder)
  const links = await linksIn(own)
  for (const { path, title } of written) {
    const other = await realFolder(path)
    if (isInside([other], own) || isInside([own], other))
      throw new StartError(
        `--nodes: the folder of custom nodes and ${title} must not overlap, because clients can write to the latter`,
        `Use a folder that is neither inside ${other} nor contains it.`,
      )
    const link = links.find(({ target }) => isInside([other], target) || isInside([target], other))
    if (link)
      throw new StartError(
        `--nodes: the link ${link.path} points to ${title}, which clients can write to`,
        'Replace the link by a copy of the file.',
      )
  }
}

/** Links below a folder, with their targets. */
async function linksIn(folder: string): Promise<{ readonly path: string; readonly target: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(paths.map(async (path) => ({ path, target: await realFolder(path) })))
}

/** The target of a path. It need not exist: a folder may be on other machines, and the file of a link may be created later. */
async function realFolder(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const target = await readlink(path).catch(() => null)
    if (target !== null && links < MOST_LINKS) return realFolder(resolve(dirname(path), target), links + 1)
    const parent = dirname(path)
    if (parent === path) throw error
    return `${await realFolder(parent, links)}${path.slice(parent.length)}`
  }
}
