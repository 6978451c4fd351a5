import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type ExchangeFile, type ExchangeFileState, phrase } from '@medloom/contracts'
import { KeyedMutex } from '../../../concurrency/keyed-mutex.js'
import { AppError } from '../../../errors.js'
import { openCheckpoint, readManifest } from '../../../storage/checkpoints.js'
import { digestOfFile } from '../../../storage/digests.js'
import { syncFolder } from '../../../storage/files.js'
import { isInside } from '../../../storage/is-inside.js'
import { makeFolder } from '../../../storage/own-folder.js'
import { MANIFEST, type RunDirectory } from '../../../storage/run-directory.js'
import { LatestWriter } from './latest-writer.js'
import { mirroredPath } from './mirrored-path.js'
import { writePieces, wrongOffset } from './write-pieces.js'

/** A content that is being received. */
interface Arriving {
  readonly size: number
  readonly hash: Hash
  /** Number of its bytes that `hash` covers. */
  hashed: number
}

/**
 * Files of its run that a node sends. A content arrives in pieces under its digest, and is moved to its path atomically: a reader sees the
 * old file or the new one, as if the trainer had written it. The manifest of a checkpoint is sent last, and files that it does not name are
 * removed.
 */
export class ReceivedFiles {
  readonly #arriving = new Map<string, Arriving>()
  readonly #writers = new LatestWriter()
  readonly #mutex = new KeyedMutex()

  /**
   * Move the file to its path if its content is complete; otherwise return where its next piece begins.
   * @param admit called again when it is the turn of this file
   * @throws AppError PATH_NOT_ALLOWED, UPLOAD_DIGEST, CHECKPOINT_CORRUPT, and the errors of `admit`
   */
  announce(
    run: RunDirectory,
    attempt: number,
    file: ExchangeFile,
    admit: () => Promise<unknown>,
  ): Promise<ExchangeFileState> {
    const target = mirroredPath(run, attempt, file.path)
    return this.turn(run, async () => {
      await admit()
      await makeFolderOfRun(run, dirname(target))
      if (await isContent(target, file)) return placed(file)
      const incoming = incomingOf(run, file.sha256)
      await makeFolder(dirname(incoming))
      if (await linkTwin(run, target, file, incoming)) return this.#place(run, attempt, file, target)
      if (
        file.extends &&
        !(await stat(incoming).catch(() => null)) &&
        (await isContent(target, file.extends))
      )
        await copyFile(target, incoming, constants.COPYFILE_FICLONE)
      const size = await createOrMeasure(incoming)
      if (size < file.size_bytes) {
        this.#expect(incoming, file.size_bytes)
        return { placed: false, offset: size }
      }
      await this.#verify(incoming, file)
      return this.#place(run, attempt, file, target)
    })
  }

  /** No file is moved to its path in this run until `work` is done. */
  turn<Result>(run: RunDirectory, work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(run.path, work)
  }

  /** @returns the number of stored bytes. @throws AppError UPLOAD_OFFSET, PAYLOAD_TOO_LARGE */
  write(
    run: RunDirectory,
    sha256: string,
    { offset, content }: { readonly offset: number; readonly content: Readable },
  ): Promise<number> {
    const path = incomingOf(run, sha256)
    return this.#writers.run(path, async (signal) => {
      const arriving = this.#arriving.get(path)
      // The service was restarted, or the file is already at its path: it must be announced again.
      if (!arriving) throw wrongOffset(0)
      const file = await open(path, constants.O_RDWR)
      try {
        const { size } = await file.stat()
        const follows = arriving.hashed === size
        return await writePieces(file, { offset, content, signal }, arriving.size, (bytes) => {
          if (!follows) return
          arriving.hash.update(bytes)
          arriving.hashed += bytes.length
        })
      } finally {
        await file.close()
      }
    })
  }

  /** Remove the unfinished files of an ended attempt. */
  async forget(run: RunDirectory): Promise<void> {
    const folder = dirname(incomingOf(run, ''.padEnd(64, '0')))
    for (const path of this.#arriving.keys()) if (dirname(path) === folder) this.#arriving.delete(path)
    await rm(folder, { recursive: true, force: true })
  }

  #expect(incoming: string, size: number): void {
    if (this.#arriving.get(incoming)?.size === size) return
    this.#arriving.set(incoming, { size, hash: createHash('sha256'), hashed: 0 })
  }

  async #verify(incoming: string, { sha256 }: ExchangeFile): Promise<void> {
    const arriving = this.#arriving.get(incoming)
    this.#arriving.delete(incoming)
    const { size } = await stat(incoming)
    const digest =
      arriving?.hashed === size && arriving.size === size
        ? arriving.hash.digest('hex')
        : await digestOfFile(incoming)
    if (digest === sha256) return
    await rm(incoming, { force: true })
    throw new AppError('UPLOAD_DIGEST', phrase('digest_differs'))
  }

  async #place(
    run: RunDirectory,
    attempt: number,
    file: ExchangeFile,
    target: string,
  ): Promise<ExchangeFileState> {
    const incoming = incomingOf(run, file.sha256)
    const isManifest = basename(target) === MANIFEST
    await sync(incoming)
    if (isManifest) await refuseIncomplete(incoming, dirname(target))
    // The reserve for it on this disk is no longer needed.
    if (target === run.result) await rm(run.reserve(attempt), { force: true })
    await rename(incoming, target)
    await syncFolder(dirname(target))
    if (isManifest) await sweep(dirname(target))
    return placed(file)
  }
}

function placed({ size_bytes }: ExchangeFile): ExchangeFileState {
  return { placed: true, offset: size_bytes }
}

function incomingOf(run: RunDirectory, sha256: string): string {
  return join(run.incoming, sha256)
}

/** Links that somebody created in the run must not lead out of it. */
async function makeFolderOfRun(run: RunDirectory, folder: string): Promise<void> {
  await makeFolder(folder)
  if (!isInside([await realpath(run.path)], await realpath(folder)))
    throw new AppError('PATH_NOT_ALLOWED', phrase('run_folder_links_out'))
}

async function isContent(
  path: string,
  { size_bytes, sha256 }: Pick<ExchangeFile, 'size_bytes' | 'sha256'>,
): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && found.size === size_bytes && (await digestOfFile(path)) === sha256
}

/** The best checkpoint is often also the last one: its parts, named by their digests, are sent only once. */
async function linkTwin(
  run: RunDirectory,
  target: string,
  file: ExchangeFile,
  incoming: string,
): Promise<boolean> {
  const siblings = dirname(dirname(target))
  if (!isInside([run.path], siblings) || siblings === run.path) return false
  for (const name of await readdir(siblings)) {
    const twin = join(siblings, name, basename(target))
    if (twin === target || !(await isContent(twin, file))) continue
    await rm(incoming, { force: true })
    return link(twin, incoming).then(
      () => true,
      () => false,
    )
  }
  return false
}

async function createOrMeasure(path: string): Promise<number> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** @throws AppError CHECKPOINT_CORRUPT when a file that the manifest names is not in the folder. */
async function refuseIncomplete(manifest: string, folder: string): Promise<void> {
  const { files } = await readManifest(dirname(manifest), basename(manifest))
  for (const [part, { file, size_bytes }] of Object.entries(files)) {
    const found = basename(file) === file ? await stat(join(folder, file)).catch(() => null) : null
    if (found?.size !== size_bytes)
      throw new AppError(
        'CHECKPOINT_CORRUPT',
        phrase('manifest_before_part', { checkpoint: basename(folder), part }),
      )
  }
}

async function sweep(folder: string): Promise<void> {
  const { files } = await openCheckpoint(folder)
  const named = new Set([MANIFEST, ...Object.values(files).map(({ file }) => file)])
  for (const name of await readdir(folder))
    if (!named.has(name)) await rm(join(folder, name), { force: true })
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
