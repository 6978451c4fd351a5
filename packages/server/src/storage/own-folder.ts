import { mkdirSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { type ErrorCode, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { FOLDER_ID, folderId } from './folder-id.js'
import { isInside } from './is-inside.js'
import { nullIfMissing } from './null-if-missing.js'

/** A folder that has to stay where it was when it was opened. */
export interface WatchedFolder {
  readonly path: string
  /** Resolves while the same folder is at its path. @throws AppError DATA_FOLDER_MISSING, OUTPUT_FOLDER_MISSING */
  confirm(): Promise<void>
  close(): void
}

/** The data folder as it was when it was opened. */
export interface OwnFolder extends WatchedFolder {
  /** Its id, independent of its mount point. */
  readonly id: string
}

/** The folders that are open in this process. */
const open = new Set<WatchedFolder>()

/** Detects another folder, or none, at the path of this one. Device and inode identify copies, the id an empty mount point. */
export async function openOwnFolder(path: string): Promise<OwnFolder> {
  const id = await folderId(path)
  return {
    id,
    ...(await watchFolder(path, {
      code: 'DATA_FOLDER_MISSING',
      missing: 'no_data_folder_at',
      identity: withId,
    })),
  }
}

/** Like `openOwnFolder`, for the output folder, which belongs to users: no file is created in it to recognize it. */
export function watchOutputFolder(path: string): Promise<WatchedFolder> {
  return watchFolder(path, {
    code: 'OUTPUT_FOLDER_MISSING',
    missing: 'no_output_folder_at',
    identity: inodeOf,
  })
}

interface Watching {
  readonly code: ErrorCode
  /** Message if there is no folder. */
  readonly missing: 'no_data_folder_at' | 'no_output_folder_at'
  /** null: the folder does not exist. */
  readonly identity: (path: string) => Promise<string | null>
}

async function watchFolder(path: string, { code, missing, identity }: Watching): Promise<WatchedFolder> {
  const opened = await identity(path)
  const folder: WatchedFolder = {
    path,
    async confirm() {
      const now = await identity(path)
      if (now === null) throw new AppError(code, phrase(missing, { path }))
      if (now !== opened) throw new AppError(code, phrase('other_folder_at', { path }))
    },
    close: () => void open.delete(folder),
  }
  open.add(folder)
  return folder
}

/**
 * Create a folder and its parents, for this user only. The data folder and the output folder themselves are never created again: a new one
 * would hide the one that returns.
 * @throws AppError DATA_FOLDER_MISSING, OUTPUT_FOLDER_MISSING
 */
export async function makeFolder(path: string): Promise<void> {
  for (const own of open) if (isInside([own.path], path)) await own.confirm()
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Create a folder in an existing one. */
export function makeInnerFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

async function inodeOf(path: string): Promise<string | null> {
  const found = await nullIfMissing(stat(path, { bigint: true }))
  return found && `${found.dev} ${found.ino}`
}

async function withId(path: string): Promise<string | null> {
  const [inode, id] = await Promise.all([
    inodeOf(path),
    nullIfMissing(readFile(`${path}/${FOLDER_ID}`, 'utf8')),
  ])
  return inode && id && `${inode} ${id.trim()}`
}
