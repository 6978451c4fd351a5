import { createHash, randomBytes } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import { copyFile, link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blob } from '@medloom/contracts'
import { BoundedMap } from '../../bounded-map.js'
import { AppError } from '../../errors.js'
import { digestOfFile, stateOf } from '../../storage/digests.js'
import { syncFolder, writeTextAtomically } from '../../storage/files.js'
import { makeFolder } from '../../storage/own-folder.js'

/**
 * Up to this size a file's content is compared with its name before a cached result that refers to it is believed; of a larger one
 * the time of its last change decides, and its content is compared when it is opened: plans must not wait for gigabytes to be read.
 */
const CHECKED_AT_ONCE_BYTES = 4 * 1024 * 1024
/** Files that are remembered as sound: some tens of megabytes. Those that were seen first are read again when they are needed. */
const MOST_REMEMBERED = 100_000

/** Content-addressed files: <folder>/<first two digits>/<sha256><suffix>. Equal content is stored once; a file is never changed. */
export class ArtifactStore {
  /** Path → the state of the file whose content was seen to be what its name says. */
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

  /** Keep a file that is never written to again: linked where that is possible, else copied. */
  async putFile(source: string, suffix: string): Promise<Blob> {
    const [sha256, { size }] = await Promise.all([digestOfFile(source), stat(source)])
    const blob = { sha256, suffix, size_bytes: size }
    if (!(await this.#holds(blob))) await linkOrCopy(source, this.path(blob))
    return blob
  }

  /** The content of a blob. @throws AppError NODE_FAILED when it is gone or damaged; what is damaged is removed, so that it is made again. */
  async read(blob: Blob): Promise<Buffer> {
    const bytes = await readFile(this.path(blob)).catch(() => undefined)
    if (!bytes) throw lost()
    if (createHash('sha256').update(bytes).digest('hex') === blob.sha256) return bytes
    await rm(this.path(blob), { force: true })
    throw lost()
  }

  /** The file of a blob whose content was compared with its name. @throws as `read` does. */
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

  /** Whether the file that was there at `keptAt` is there still and, as far as can be said without reading it all, undamaged. */
  async isSound(blob: Blob, keptAt: number): Promise<boolean> {
    const path = this.path(blob)
    try {
      // At once: a run of thousands of cached nodes asks for each, and the thread pool takes ten times as long as the call itself.
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

/** Put the file `source`, which is never written to again, at `target`, durably and at once, replacing what is there. */
export function linkOrCopy(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => link(source, temporary).catch(() => copyFile(source, temporary)))
}

/** As `linkOrCopy`, for people, who may change what they are given. */
export function copyInto(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => copyFile(source, temporary))
}

/** As `copyInto`, where nothing is: what appears there meanwhile is not replaced. @throws EEXIST */
export function copyIntoNew(source: string, target: string): Promise<void> {
  return putAt(target, (temporary) => copyFile(source, temporary), becomeNew)
}

/** A link never replaces anything; where the file system has none, neither does this copy. */
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
    // Renaming one link onto another of the same file leaves both.
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(target))
}

function lost(): AppError {
  return new AppError(
    'NODE_FAILED',
    'a file of the artifact store is missing or damaged',
    'Run the workflow again: the node that made it is computed again.',
  )
}
