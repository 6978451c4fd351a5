import { mkdirSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { AppError } from '../errors.js'
import { isInside } from '../security/inside.js'
import { FOLDER_ID, folderId } from './folder-id.js'

/** A folder as it was when it was opened. */
export interface OwnFolder {
  readonly path: string
  /** Its name, wherever it is mounted. */
  readonly id: string
  /** Resolves while the same folder is at its path. @throws AppError DATA_FOLDER_MISSING */
  confirm(): Promise<void>
  close(): void
}

/** Those that are open in this process. */
const open = new Set<OwnFolder>()

/** Notice when another folder, or none, is at the path of this one. Device and inode tell copies apart, the id tells an empty mount point. */
export async function openOwnFolder(path: string): Promise<OwnFolder> {
  const id = await folderId(path)
  const opened = await identity(path)
  const folder: OwnFolder = {
    path,
    id,
    async confirm() {
      const now = await identity(path)
      if (now === null) throw missing(`there is no data folder at ${path}`)
      if (now !== opened) throw missing(`another folder is at ${path}`)
    },
    close: () => void open.delete(folder),
  }
  open.add(folder)
  return folder
}

/**
 * Make a folder and those around it, for this user alone. Where it belongs into the data folder, the data folder itself is never made: it
 * would hide the one that comes back.
 * @throws AppError DATA_FOLDER_MISSING
 */
export async function makeFolder(path: string): Promise<void> {
  for (const own of open) if (isInside([own.path], path)) await own.confirm()
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Make a folder in one that exists. */
export function makeInnerFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Null: there is no folder with an id. */
async function identity(path: string): Promise<string | null> {
  try {
    const [{ dev, ino }, id] = await Promise.all([
      stat(path, { bigint: true }),
      readFile(`${path}/${FOLDER_ID}`, 'utf8'),
    ])
    return `${dev} ${ino} ${id.trim()}`
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

function missing(message: string): AppError {
  return new AppError('DATA_FOLDER_MISSING', message)
}
