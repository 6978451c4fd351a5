import { realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { StartError } from '../../errors.js'

/**
 * Its files are run, so it is never a place where the service lets clients write. @throws StartError where it is no folder, or stands in
 * the data folder.
 */
export async function refuseNodesFolder(folder: string | null, dataDir: string): Promise<void> {
  if (folder === null) return
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartError(`--nodes: ${folder} is no folder`, 'Make it, or name another folder.')
  const [own, data] = await Promise.all([realpath(folder), realpath(dataDir)])
  if (`${own}${sep}`.startsWith(`${data}${sep}`) || `${data}${sep}`.startsWith(`${own}${sep}`))
    throw new StartError(
      '--nodes: the folder of custom nodes and the data folder must lie apart, because clients can write to the latter',
      'Name a folder beside it.',
    )
}
