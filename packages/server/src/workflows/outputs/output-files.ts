import { lstat } from 'node:fs/promises'
import type { Blob } from '@medloom/contracts'
import { KeyedMutex } from '../../concurrency/keyed-mutex.js'
import { AppError } from '../../errors.js'
import { digestOfFile } from '../../storage/digests.js'
import { copyInto, copyIntoNew } from '../cache/artifact-store.js'
import type { WrittenFilesRepository } from './written-files.repository.js'

/** Writes files among those of people: one that was not written here, or that was changed since, is never replaced. */
export class OutputFiles {
  readonly #turns = new KeyedMutex()

  constructor(private readonly written: WrittenFilesRepository) {}

  /**
   * Put a copy of `source`, whose content is that of `blob`, at `path`. Nothing to do where it is there already.
   * @throws AppError OUTPUT_EXISTS
   */
  put(source: string, blob: Blob, path: string): Promise<void> {
    return this.#turns.run(path, () => this.#put(source, blob, path))
  }

  async #put(source: string, { sha256 }: Blob, path: string): Promise<void> {
    const found = await lstat(path).catch(() => null)
    if (found && !found.isFile())
      throw new AppError('OUTPUT_EXISTS', `${path} is not a regular file, so it is not replaced`)
    const there = found && (await digestOfFile(path))
    if (there === sha256) return
    if (there !== null && !(await this.written.has(path, there))) throw foreign(path)
    // First, so that a file that a crash leaves is known as one of ours.
    await this.written.add(path, sha256)
    if (there === null)
      await copyIntoNew(source, path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? foreign(path) : error
      })
    else await copyInto(source, path)
    await this.written.keepOnly(path, sha256)
  }
}

function foreign(path: string): AppError {
  return new AppError(
    'OUTPUT_EXISTS',
    `${path} exists: Medloom did not write it, or it was changed since, so it is not replaced`,
  )
}
