import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { ofFile } from '../system-fault.js'

/**
 * Replace a file so that a reader sees either the old or the new content, even after a power failure: temporary file in the same folder,
 * fsync, rename, fsync of the folder.
 */
export async function writeTextAtomically(path: string, text: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw ofFile(error, path)
  }
  await syncFolder(dirname(path))
}

export function writeJsonAtomically(path: string, value: unknown): Promise<void> {
  return writeTextAtomically(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** YAML without anchors, in the order of the object's keys; the same training can be started again from config.yaml of a run. */
export function writeYamlAtomically(path: string, value: unknown): Promise<void> {
  return writeTextAtomically(path, stringify(value, { aliasDuplicateObjects: false, lineWidth: 110 }))
}

/** Remove a folder with its content, durably even after a power failure. */
export async function removeDurably(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await syncFolder(dirname(path))
}

/** A new or renamed entry of a folder is durable only once the folder itself is. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
