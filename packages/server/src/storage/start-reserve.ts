import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors.js'
import { systemFault } from '../system-fault.js'
import { formatSize } from './size.js'

/** SQLite needs 32 KiB to open its file, and some pages for the first deletions. */
const BYTES = 1024 ** 2

/**
 * Free space for the start of a service whose disk is full, so that data can be listed and deleted.
 * @returns true if the disk was full
 */
export async function freeStartReserve(folder: string): Promise<boolean> {
  if ((await freeBytes(folder)) >= BYTES) return false
  await rm(fileOf(folder), { force: true })
  return true
}

/**
 * The reason why the service cannot start: an error that SQLite reports as a failed disk is a full disk if no space is left. Other errors
 * are returned unchanged.
 */
export async function faultOfFullDisk(error: unknown, folder: string): Promise<unknown> {
  if (!systemFault(error) || (await freeBytes(folder)) >= BYTES) return error
  return new StartError(
    `the data folder ${folder} cannot be used: DISK_FULL, its disk has not enough free space for the database`,
    `Free ${formatSize(BYTES)} on that disk. ${join(folder, 'cache')} contains prepared images, which can be deleted while no training runs. After the start, more data can be removed in the service.`,
  )
}

/** Reserve that space for the next start, unless it is already reserved or would fill the disk. */
export async function ensureStartReserve(folder: string): Promise<void> {
  if ((await freeBytes(folder)) < 4 * BYTES) return
  try {
    // The bytes cannot be compressed.
    await writeFile(fileOf(folder), randomBytes(BYTES), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    if (!systemFault(error)) throw error
    await rm(fileOf(folder), { force: true })
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function fileOf(folder: string): string {
  return join(folder, 'reserve.bin')
}
