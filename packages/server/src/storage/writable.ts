import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ofFile } from '../system-fault.js'

/** Resolves if a file can be written in the folder. Errors name the folder, since the file of the attempt does not concern anyone. */
export async function confirmWritable(folder: string): Promise<void> {
  const probe = join(folder, `.writable.${process.pid}`)
  try {
    await writeFile(probe, '', { mode: 0o600 })
    await rm(probe, { force: true })
  } catch (error) {
    throw ofFile(error, folder)
  }
}
