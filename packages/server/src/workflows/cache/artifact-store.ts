import { createHash, randomBytes } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import { copyFile, link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Blob, phrase } from '@medloom/contracts'
import { BoundedMap } from '../../concurrency/bounded-map.js'
import { AppError } from '../../errors.js'
import { digestOfFile, stateOf } from '../../storage/digests.js'
import { syncFolder, writeTextAtomically } from '../../storage/files.js'
import { makeFolder } from '../../storage/own-folder.js'

/**
 * Up to this size, the content of a file is compared with its name before a cached result that refers to it is used. For a larger file, the
 * time of its last change decides, and its content is compared when it is opened: plans must not wait until gigabytes are read.
 */
const CHECKED_AT_ONCE_BYTES = 4 * 1024 * 1024
/**
 * Maximum number of files that are remembered as intact: some tens of megabytes. The files seen first are read again when they are needed.
 */
const MOST_REMEMBERED = 100_000

/** Content-addressed files: <folder>/<first two digits>/<sha256><suffix>. Equal content is stored once; a file is never changed. */
export class ArtifactStore {
  /** Path → the state of the file when its content matched its name. */
  readonly #sound = new BoundedMap<string, string>(MOST_REMEMBERED)

  constructor(readonly folder: string) {}

  path({ sha256, suffix }: Blob): string {
    return join(this.folder, sha256.slice(0, 2), `${sha256}${suffix}`)
  }

  async put(content: string | Uint8Array, suffix: string): Promise<Blob> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const blob = { sha256, suffix, size_bytes: bytes.length }
    if (await this.#holds(blob)) return blob
    await makeFolder(dirname(this.path(blob)))
    await writeTextAtomically(this.path(blob), bytes)
    return blob
  }

  /** Store a file that is never written again: linked if possible, otherwise copied. */
  async putFile(source: string, suffix: string): Promise<Blob> {
    const [sha256, { size }] = await Promise.all([digestOfFile(source), stat(source)])
    const blob = { sha256, suffix, size_bytes: size }
    if (!(await this.#holds(blob))) await linkOrCopy(source, this.path(blob))
    return blob
  }

  /**
   * The content of a blob. @throws AppError NODE_FAILED when it is missing or damaged; a damaged file is removed, so that it is created
   * again.
   */
  async read(blob: Blob): Promise<Buffer> {
    const bytes = await readFile(this.path(blob)).catch(() => undefined)
    if (!bytes) throw lost()
    if (createHash('sha256').update(bytes).digest('hex') === blob.sha256) return bytes
    await rm(this.path(blob), { force: true })
    throw lost()
  }

  /** The file of a blob, after its content was compared with its name. @throws like `read`. */
  async open(blob: Blob): Promise<string> {
    if (await this.#holds(blob)) return this.path(blob)
    await rm(this.path(blob), { force: true })
    throw lost()
  }

  async #holds(blob: Blob): Promise<boolean> {
    const path = this.path(blob)
    const found = await stat(path).catch(() => undefined)
    if (!found) return false
    if (this.#sound.get(path) === stateOf(found)) return true
    if (found.size !== blob.size_bytes || (await digestOfFile(path)) !== blob.sha256) return false
    this.#sound.set(path, stateOf(found))
    return true
  }

  /** Returns true if the file that existed at `keptAt` still exists and appears intact, without reading all of it. */
  async isSound(blob: Blob, keptAt: number): Promise<boolean> {
    const path = this.path(blob)
    try {
      // Synchronous: a run of thousands of cached nodes checks each file, and the thread pool takes ten times as long as the call itself.
      const found = statSync(path)
      if (found.size !== blob.size_bytes) return false
      const state = stateOf(found)
      if (this.#sound.get(path) === state) return true
      if (found.size > CHECKED_AT_ONCE_BYTES) return Math.floor(found.mtimeMs) <= keptAt
      if (
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex') !== blob.sha256
      )
        return false
      this.#sound.set(path, state)
      return true
    } catch {
      return false
    }
  }
}

/** Put the file `source`, which is never written again, at `target`, durably and atomically; an existing file is replaced. */
export function linkOrCopy(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => link(source, temporary).catch(() => copyFile(source, temporary)))
}

/** Like `linkOrCopy`, for users, who may edit the copy. */
export function copyInto(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => copyFile(source, temporary))
}

/** Like `copyInto`, but an existing file is never replaced. @throws EEXIST */
export function copyIntoNew(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => copyFile(source, temporary), becomeNew)
}

/** A link never replaces a file; if the file system does not support links, this copy does not replace one either. */
async function becomeNew(temporary: string, target: string): Promise<void> {
  await link(temporary, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error
    return copyFile(temporary, target, constants.COPYFILE_EXCL)
  })
}

async function putAt(
  target: string,
  make: (temporary: string) => Promise<void>,
  become: (temporary: string, target: string) => Promise<void> = rename,
): Promise<void> {
  await makeFolder(dirname(target))
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await make(temporary)
    const file = await open(temporary, 'r')
    await file.sync().finally(() => file.close())
    await become(temporary, target)
  } finally {
    // Renaming a link onto another link to the same file leaves both.
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(target))
}

function lost(): AppError {
  return new AppError('NODE_FAILED', phrase('artifact_lost'), phrase('run_workflow_to_restore'))
}
