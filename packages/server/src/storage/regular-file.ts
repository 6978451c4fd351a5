import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { atPlace, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'

/**
 * Open a file of a user for reading. The service opens such files only here: a pipe or a device would block it without limit, so everything
 * except regular files is refused, even if it appears between the check and the opening.
 * @throws AppError FILE_NOT_REGULAR; the error of the system if it does not exist or cannot be read.
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

/** The content of a regular file, in pieces. @throws like `openRegular` */
export async function* readRegular(path: string, pieceBytes: number): AsyncGenerator<Buffer, void, void> {
  const handle = await openRegular(path)
  for await (const piece of handle.createReadStream({ highWaterMark: pieceBytes })) yield piece as Buffer
}

/** @param place dotted name of the field, for the message. @throws AppError FILE_NOT_REGULAR for what is neither a file nor a folder */
export function refuseSpecial(found: Stats, path: string, place: string): void {
  if (!found.isDirectory()) refuseIrregular(found, path, place)
}

function refuseIrregular(found: Stats, path: string, place?: string): void {
  if (found.isFile()) return
  const message = phrase('not_a_regular_file', { file: basename(path), kind: [phrase(kindOf(found))] })
  throw new AppError('FILE_NOT_REGULAR', place === undefined ? message : atPlace(place, message))
}

function kindOf(found: Stats): 'kind_folder' | 'kind_pipe' | 'kind_socket' | 'kind_device' {
  if (found.isDirectory()) return 'kind_folder'
  if (found.isFIFO()) return 'kind_pipe'
  if (found.isSocket()) return 'kind_socket'
  return 'kind_device'
}
