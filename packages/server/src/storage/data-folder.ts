import { chmod, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from '../database/lock.js'
import { StartError } from '../errors.js'
import { startFault } from '../system-fault.js'
import { writeJsonAtomically } from './files.js'
import { type OwnFolder, openOwnFolder } from './own-folder.js'
import { RunDirectory } from './run-directory.js'
import { confirmWritable } from './writable.js'

/** Maximum length of a path in SQLite, in bytes. */
const MAX_DATABASE_PATH = 512

const FOLDERS = [
  ...['runs', 'cache', 'logs', 'artifacts', 'workflows', 'studies', 'uploads', 'incoming'],
  ...['predictions', 'follow-ups'],
]

/** The folder that belongs to one service: database, runs, caches, logs. */
export interface DataFolder {
  readonly path: string
  /** Its id, independent of its mount point. */
  readonly id: string
  readonly database: string
  /** Prepared images, shared by runs and limited in size; may be deleted while nothing runs. */
  readonly cache: string
  readonly logs: string
  /** Content-addressed files to which values of workflows refer. */
  readonly artifacts: string
  /** Files that were sent to the service; requests may name them. */
  readonly uploads: string
  /** Files that are being uploaded. */
  readonly incoming: string
  /** Files with predictions, in a folder per request. */
  readonly predictions: string
  /** Collected predictions and outcomes of a follow-up. */
  followUp(followUpId: string): string
  /** The project folder of a workflow. */
  workflow(workflowId: string): string
  run(jobId: string): RunDirectory
  /** The folder of a study: its configuration, results and reports. */
  study(studyId: string): string
  /** Store the address of this service, for the error message of a second one. */
  announce(address: string): Promise<void>
  /** Resolves while the folder is still at the path where it was opened. @throws AppError DATA_FOLDER_MISSING */
  confirm(): Promise<void>
  /** Resolves while files can be written in it and in its folder of runs. */
  confirmWritable(): Promise<void>
  /** Release the folder. */
  close(): Promise<void>
}

/**
 * Open the data folder; only its owner has access.
 * @param shared with other processes, which a database server coordinates; otherwise this process locks it exclusively.
 * @throws StartError when another service uses it, or it cannot be written.
 */
export async function openDataFolder(folder: string, { shared = false } = {}): Promise<DataFolder> {
  let path: string
  let lock: FolderLock | null = null
  let own: OwnFolder
  const announcement = (inside: string) => join(inside, 'service.json')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    path = await realpath(folder)
    await chmod(path, 0o700)
    for (const name of FOLDERS) await mkdir(join(path, name), { recursive: true, mode: 0o700 })
    if (!shared) lock = await lockAlone(path, announcement(path))
    own = await openOwnFolder(path)
  } catch (error) {
    lock?.release()
    if (error instanceof StartError) throw error
    const known = startFault(error, folder)
    if (known instanceof StartError) throw known
    throw new StartError(
      `the data folder ${folder} cannot be used: ${(error as Error).message}`,
      'Choose another folder with --data-dir.',
    )
  }
  return {
    path,
    id: own.id,
    confirm: own.confirm,
    confirmWritable: async () => {
      for (const inside of [path, join(path, 'runs')]) await confirmWritable(inside)
    },
    database: join(path, 'medloom.db'),
    cache: join(path, 'cache'),
    logs: join(path, 'logs'),
    artifacts: join(path, 'artifacts'),
    uploads: join(path, 'uploads'),
    incoming: join(path, 'incoming'),
    predictions: join(path, 'predictions'),
    followUp: (followUpId) => join(path, 'follow-ups', followUpId),
    workflow: (workflowId) => join(path, 'workflows', workflowId),
    run: (jobId) => new RunDirectory(join(path, 'runs', jobId)),
    study: (studyId) => join(path, 'studies', studyId),
    announce: (address) =>
      writeJsonAtomically(announcement(path), {
        pid: process.pid,
        address,
        started_at: new Date().toISOString(),
      }),
    close: async () => {
      own.close()
      await rm(announcement(path), { force: true })
      lock?.release()
    },
  }
}

/** @throws StartError */
async function lockAlone(path: string, announcement: string): Promise<FolderLock> {
  if (Buffer.byteLength(join(path, 'medloom.db-journal')) >= MAX_DATABASE_PATH)
    throw new StartError(
      `the path of the data folder ${path} is too long for its database`,
      'Choose a folder with a shorter path with --data-dir.',
    )
  const lock = lockFolder(join(path, 'lock.db'))
  if (lock) return lock
  throw new StartError(
    `another service uses the data folder ${path}${await holder(announcement)}`,
    'Stop that service, or choose another folder with --data-dir.',
  )
}

async function holder(file: string): Promise<string> {
  try {
    const { pid, address } = JSON.parse(await readFile(file, 'utf8')) as { pid: number; address: string }
    return ` (process ${pid}, ${address})`
  } catch {
    return ''
  }
}
