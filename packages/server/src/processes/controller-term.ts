import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { QueuePause } from '@medloom/contracts'
import type { Cleanup } from '../concurrency/cleanup.js'
import { repeatEvery } from '../concurrency/repeat-every.js'
import type { ServiceContext } from '../context.js'
import type { DatabaseServer } from '../database/dialect.js'
import { StartError } from '../errors.js'
import { isUnspecified } from '../security/hosts.js'
import type { Settings } from '../settings.js'
import { refuseEmptyDatabase } from '../storage/missing-database.js'
import type { Training } from '../training/index.js'
import { acquireControllerLock } from './acquire-controller-lock.js'
import { ControllersRepository } from './controllers.repository.js'
import { type ConfirmController, HungController, Lease } from './lease.js'
import { RowNotifications } from './row-notifications.js'

/** Held by the connection on which the controller writes: both are lost together, so nothing is written without the lock. */
const LOCK = 'controller'
/** Notifies other processes of a new controller. */
export const CONTROLLERS_CHANNEL = 'controllers'
/** Interval at which a changed pause of the queue is stored, for processes that show it. */
const PAUSE_MILLISECONDS = 1000

/** Period during which this process is the controller of a shared database. */
export interface ControllerTerm {
  /** Key with which other processes sign their requests. */
  readonly internalKey: string
  /** Called before changes outside the database. */
  readonly confirm: ConfirmController
  /** From here on, handle rows that other processes write. */
  listen(training: Pick<Training, 'accepted' | 'pause'>): Promise<void>
  /** From here on, other processes find this controller at this address. */
  announce(address: string): Promise<void>
}

/**
 * Become the controller, as soon as there is no other. The term ends with the connection to the database.
 * @returns null if no other process can use the database.
 * @throws StartError when the database belongs to another data folder, or is empty while the data folder is not.
 */
export async function beginTerm(
  { database, folder, log, settings }: Pick<ServiceContext, 'database' | 'folder' | 'log' | 'settings'>,
  opened: Cleanup,
): Promise<ControllerTerm | null> {
  const { server } = database
  const url = settings.databaseUrl
  if (!server || !url) return null
  const repository = new ControllersRepository(database)
  const other = new HungController({ lock: LOCK, server, repository, log })
  await acquireControllerLock({ tryLock: () => server.tryLock(LOCK), endHung: () => other.look(), log })
  const internalKey = randomBytes(32).toString('base64url')
  const before = await repository.folder()
  if (before !== null && before !== folder.id) throw otherFolder(folder.path)
  if (before === null && (await repository.describesNothing())) await refuseEmptyDatabase(folder.path)
  const fence = await repository.begin({ internalKey, folder: folder.id })
  log.info({ fence }, 'this process is the controller')
  const lease = new Lease(fence, { repository, url, log })
  opened.add(() => lease.end())
  const rows = new RowNotifications({ server, written: database.written, log })
  let endReports: () => void = () => undefined
  opened.add(async () => {
    endReports()
    await rows.close()
    // If the connection is lost, nobody can be notified, and the next controller has begun.
    await repository.end(fence).then(
      () => notifyProcesses(server),
      () => undefined,
    )
  })
  return {
    internalKey,
    confirm: lease.confirm,
    async listen({ accepted, pause }) {
      rows.onWritten(database.written.writtenElsewhere)
      rows.onWritten((table) => {
        if (table === 'jobs') accepted.look()
      })
      await rows.start()
      accepted.start()
      endReports = reportPauses(pause, (now) => repository.reportPause(fence, now), log)
    },
    async announce(address) {
      await repository.announce(fence, address)
      await notifyProcesses(server)
    },
  }
}

/** The address at which other machines reach the process that listens at `address`. */
export function internalAddress({ host, internalAddress: given }: Settings, address: string): string {
  const { port } = new URL(address)
  if (given) return given.includes('://') ? given : `http://${given}:${port}`
  return isUnspecified(host) ? `http://${hostname()}:${port}` : address
}

export function otherFolder(path: string): StartError {
  return new StartError(
    `the database belongs to a data folder other than ${path}`,
    'Start all processes of a database with the same --data-dir; on several machines, with a shared folder.',
  )
}

function notifyProcesses(server: DatabaseServer): Promise<void> {
  return server.notify(CONTROLLERS_CHANNEL, '')
}

function reportPauses(
  pause: () => QueuePause | null,
  report: (pause: QueuePause | null) => Promise<void>,
  log: Pick<ServiceContext['log'], 'warn'>,
): () => void {
  let reported = 'null'
  return repeatEvery(PAUSE_MILLISECONDS, () => {
    const now = JSON.stringify(pause())
    if (now === reported) return
    reported = now
    report(pause()).catch((error) => {
      reported = ''
      log.warn({ err: error }, 'other processes could not be notified of the reason why no job is started')
    })
  })
}
