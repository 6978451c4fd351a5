import type { Cleanup } from './concurrency/cleanup.js'
import type { ServiceContext } from './context.js'
import { type Database, openDatabase } from './database/database.js'
import { createMetrics, type Metrics } from './http/metrics.js'
import { createLog } from './log.js'
import type { TaskPool } from './ports/task-pool.js'
import { openOutputFolder } from './security/output-folder.js'
import { createRoots } from './security/roots.js'
import type { Settings } from './settings.js'
import { type DataFolder, openDataFolder } from './storage/data-folder.js'
import { refuseMissingDatabase } from './storage/missing-database.js'
import { ensureStartReserve, faultOfFullDisk, freeStartReserve } from './storage/start-reserve.js'
import { nameFolder, systemFault } from './system-fault.js'
import { refuseNodesFolder, writtenFolders } from './workflows/custom/nodes-folder.js'

export interface ContextOptions {
  readonly pool: (parts: Pick<ServiceContext, 'settings' | 'folder' | 'roots' | 'log'>) => TaskPool
  /** True if a lost connection to the database server is reestablished: only for processes that keep no state outside the database. */
  readonly reconnect: boolean
}

/** Creates the objects that every domain receives: data folder, database, worker processes. */
export async function openContext(
  settings: Settings,
  opened: Cleanup,
  { pool: createPool, reconnect }: ContextOptions,
): Promise<{ context: ServiceContext; metrics: Metrics; lost: Promise<Error> }> {
  const log = createLog(settings.logLevel)
  const folder = await openDataFolder(settings.dataDir, { shared: Boolean(settings.databaseUrl) })
  opened.add(() => folder.close())
  if (await freeStartReserve(folder.path))
    log.warn('the disk of the data folder is full; the service starts with its reserved disk space')
  const outputs = await openOutputFolder(settings.outputRoot, folder.path)
  opened.add(() => outputs.close())
  const { siteRoots } = settings
  const written = await writtenFolders({ data: folder.path, outputs: outputs.path, siteRoots })
  await refuseNodesFolder(settings.nodes ?? null, written)
  const { database, lost } = await openPlace(settings, folder, reconnect).catch(async (error) => {
    throw await faultOfFullDisk(error, folder.path)
  })
  opened.add(() => database.destroy())
  await ensureStartReserve(folder.path)
  const metrics = createMetrics()
  opened.add(() => metrics.close())
  const roots = createRoots([...settings.roots, folder.uploads], folder.path, settings.rootNames)
  for (const { name, folder: root } of roots.named) nameFolder(root, `the root ${name}`)
  nameFolder(folder.path, 'the data folder')
  nameFolder(outputs.path, 'the output folder')
  const pool = createPool({ settings, folder, roots, log })
  opened.add(() => pool.close())
  return {
    context: { settings, folder, database, roots, outputs, pool, gauges: metrics, log },
    metrics,
    lost,
  }
}

/** The loss of a connection to a server is reported; without the file of the data folder the process ends. */
async function openPlace(
  { databaseUrl, role = 'all' }: Settings,
  folder: DataFolder,
  reconnect: boolean,
): Promise<{ database: Database; lost: Promise<Error> }> {
  let onLost: (error: Error) => void = () => undefined
  const lost = new Promise<Error>((resolve) => {
    onLost = reconnect ? () => undefined : resolve
  })
  if (!databaseUrl) await refuseMissingDatabase(folder)
  const database = databaseUrl
    ? await openDatabase({ url: databaseUrl }, { role, reconnect, onLost })
    : await openDatabase({ file: folder.database })
  await database.confirmWritable().catch(async (error) => {
    // On a full disk the service starts, so that users can delete data.
    if (systemFault(error)?.code === 'DISK_FULL') return
    await database.destroy()
    throw error
  })
  return { database, lost }
}
