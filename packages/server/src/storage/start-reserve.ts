import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemFault } from './system-fault.js'

/** SQLite needs 32 KiB to open its file, and some pages for what is deleted first. */
const BYTES = 1024 ** 2

/**
 * Make room for the start of a service whose disk is full, so that things can be listed and deleted on it.
 * @returns whether the disk was full
 */
export async function freeStartReserve(folder: string): Promise<boolean> {
  if ((await freeBytes(folder)) >= BYTES) return false
  await rm(fileOf(folder), { force: true })
  return true
}

/** Keep that room for the next start, unless it is kept already or would fill the disk. */
export async function keepStartReserve(folder: string): Promise<void> {
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
