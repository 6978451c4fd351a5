import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../errors.js'

/**
 * Open a file of a user for reading. The one way in which the service does: a pipe or a device would make it wait without limit, so
 * whatever is no regular file is refused, also when it appears between the look and the opening.
 * @throws AppError FILE_NOT_REGULAR; what the system says where there is nothing, or nothing that may be read.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  refuseIrregular(await stat(path), path)
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    refuseIrregular(await handle.stat(), path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The content of a regular file, in pieces. @throws as `openRegular` does */
export async function* readRegular(path: string, pieceBytes: number): AsyncGenerator<Buffer, void, void> {
  const handle = await openRegular(path)
  for await (const piece of handle.createReadStream({ highWaterMark: pieceBytes })) yield piece as Buffer
}

/** @param place dotted name of the field, for the message. @throws AppError FILE_NOT_REGULAR for what is neither a file nor a folder */
export function refuseSpecial(found: Stats, path: string, place: string): void {
  if (!found.isDirectory()) refuseIrregular(found, path, `${place}: `)
}

function refuseIrregular(found: Stats, path: string, before = ''): void {
  if (!found.isFile())
    throw new AppError(
      'FILE_NOT_REGULAR',
      `${before}${basename(path)} is ${kindOf(found)}, not a regular file`,
    )
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a named pipe'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}
