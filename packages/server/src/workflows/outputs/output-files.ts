import { lstat } from 'node:fs/promises'
import { type Blob, LOCAL_USER, type Phrase, phrase } from '@medloom/contracts'
import { KeyedMutex } from '../../concurrency/keyed-mutex.js'
import { AppError } from '../../errors.js'
import { digestOfFile } from '../../storage/digests.js'
import { copyInto, copyIntoNew } from '../cache/artifact-store.js'
import type { WrittenFilesRepository } from './written-files.repository.js'

/**
 * Writes files into folders of users: a file that was not written here, that was changed since, or that belongs to another user is never
 * replaced.
 */
export class OutputFiles {
  readonly #turns = new KeyedMutex()

  constructor(private readonly written: WrittenFilesRepository) {}

  /**
   * Put a copy of `source`, whose content is that of `blob`, at `path`, unless it is already there.
   * @param owner of the run
   * @throws AppError OUTPUT_EXISTS
   */
  put(source: string, blob: Blob, path: string, owner: string | null): Promise<void> {
    return this.#turns.run(path, () => this.#put(source, blob, path, owner))
  }

  async #put(source: string, { sha256 }: Blob, path: string, owner: string | null): Promise<void> {
    const found = await lstat(path).catch(() => null)
    if (found && !found.isFile()) throw new AppError('OUTPUT_EXISTS', phrase('output_not_regular', { path }))
    const there = found && (await digestOfFile(path))
    if (there === sha256) return
    if (there !== null) await this.#requireOwn(path, there, owner)
    // Stored first, so that a file left by a crash is known as one of ours.
    await this.written.add(path, sha256, owner)
    if (there === null)
      await copyIntoNew(source, path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? foreign(path) : error
      })
    else await copyInto(source, path)
    await this.written.keepOnly(path, sha256)
  }

  /** @throws AppError OUTPUT_EXISTS */
  async #requireOwn(path: string, sha256: string, owner: string | null): Promise<void> {
    const fileOwner = await this.written.ownerOf(path, sha256)
    if (fileOwner === undefined) throw foreign(path)
    // A service without tokens does not distinguish users.
    if (owner === null || owner === LOCAL_USER || fileOwner === null || fileOwner === owner) return
    throw foreign(path, phrase('written_by_run_of', { owner: fileOwner }))
  }
}

function foreign(path: string, why: Phrase = phrase('not_written_by_medloom')): AppError {
  return new AppError('OUTPUT_EXISTS', phrase('output_not_replaced', { path, why: [why] }))
}
