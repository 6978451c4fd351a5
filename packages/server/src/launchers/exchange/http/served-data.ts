import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { type FileHandle, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { Readable } from 'node:stream'
import { type DataFacts, type DataPath, PATH_KEYS, TrainerSpec } from '@medloom/contracts'
import { forEachLimit } from '../../../concurrency/for-each-limit.js'
import { isInside } from '../../../security/inside.js'
import { DATA_ROOT, type NamedRoot } from '../../../security/named-roots.js'
import { unlessAbsent } from '../../../storage/absent.js'
import { openRegular } from '../../../storage/regular-file.js'
import type { RunDirectory } from '../../../storage/run-directory.js'

type Facts = DataFacts['facts'][number]
type Asked = DataPath & { readonly offset: number }

const AT_A_TIME = 16
/** A file up to here is read at once, beside others; a larger one in pieces. */
const SMALL_BYTES = 1024 * 1024
const PIECE_BYTES = 256 * 1024

export interface ServedDataOptions {
  /** The roots and the data folder, by name. */
  readonly named: readonly NamedRoot[]
  /** Folder in the data folder whose files requests may name. */
  readonly uploads: string
}

/** The files that a training reads, for a node that has none of them. */
export class ServedData {
  constructor(readonly options: ServedDataOptions) {}

  /** What there is at each path; null where a training of this service could not read either. */
  async facts(run: RunDirectory, paths: readonly DataPath[]): Promise<DataFacts> {
    const own = await this.#ownFiles(run)
    const facts: Facts[] = paths.map(() => null)
    await forEachLimit(AT_A_TIME, [...paths.entries()], async ([index, path]) => {
      facts[index] = await this.#factsOf(path, own)
    })
    return { facts }
  }

  /** The contents from their offsets on, each between a line of facts and the digest of all of it. A file that changes meanwhile breaks the response off. */
  async contents(run: RunDirectory, files: readonly Asked[]): Promise<Readable> {
    const own = await this.#ownFiles(run)
    return Readable.from(this.#contents(files, own), { objectMode: false, highWaterMark: 4 * PIECE_BYTES })
  }

  async *#contents(files: readonly Asked[], own: readonly string[]): AsyncGenerator<Buffer> {
    const opened: Promise<Opened | null>[] = []
    try {
      for (let index = 0; index < files.length; index++) {
        while (opened.length < Math.min(files.length, index + AT_A_TIME)) {
          const next = this.#open(files[opened.length] as Asked, own)
          next.catch(() => undefined)
          opened.push(next)
        }
        const file = await opened[index]
        if (file) yield* file.small ? [file.small] : piecesOf(file)
        else yield line({ missing: true })
      }
    } finally {
      for (const file of opened) void file.then((one) => one?.handle?.close()).catch(() => undefined)
    }
  }

  async #open(asked: Asked, own: readonly string[]): Promise<Opened | null> {
    const path = await this.#locate(asked, own)
    const handle = path === null ? null : await openRegular(path).catch(() => null)
    if (!handle) return null
    try {
      const facts = factsOf(await handle.stat({ bigint: true }))
      const { size_bytes: size } = facts
      if (size > SMALL_BYTES) return { handle, facts, offset: asked.offset }
      const content = Buffer.alloc(size)
      const { bytesRead } = await handle.read(content, 0, size, 0)
      if (bytesRead !== size) throw shortened()
      await handle.close()
      const rest = content.subarray(asked.offset)
      return { small: Buffer.concat([line(facts), rest, digestLine(createHash('sha256').update(content))]) }
    } catch (error) {
      await handle.close().catch(() => undefined)
      throw error
    }
  }

  async #factsOf(asked: DataPath, own: readonly string[]): Promise<Facts> {
    const path = await this.#locate(asked, own)
    const found = path === null ? null : await unlessAbsent(stat(path, { bigint: true }))
    if (path === null || !found) return null
    if (found.isFile()) return factsOf(found)
    return found.isDirectory() ? this.#folder(path, own) : null
  }

  async #folder(path: string, own: readonly string[]): Promise<Facts> {
    const files: Record<string, ReturnType<typeof factsOf>> = {}
    const folders: string[] = []
    await forEachLimit(AT_A_TIME, await readdir(path), async (name) => {
      const real = await unlessAbsent(realpath(join(path, name)))
      const found =
        real !== null && this.#allows(real, own) ? await unlessAbsent(stat(real, { bigint: true })) : null
      if (found?.isFile()) files[name] = factsOf(found)
      else if (found?.isDirectory()) folders.push(name)
    })
    return { files, folders: folders.sort() }
  }

  /** The real path; null for what is not there, or may not be read. */
  async #locate({ root, path }: DataPath, own: readonly string[]): Promise<string | null> {
    const folder = this.options.named.find(({ name }) => name === root)?.folder
    if (folder === undefined || path.includes('\0')) return null
    const real = await unlessAbsent(realpath(join(folder, ...path.split('/'))))
    return real !== null && this.#allows(real, own) ? real : null
  }

  /** Inside a root. Of the data folder, which may lie in one: what was uploaded, and what the training names. */
  #allows(real: string, own: readonly string[]): boolean {
    const { named, uploads } = this.options
    const data = named.filter(({ name }) => name === DATA_ROOT).map(({ folder }) => folder)
    if (isInside(data, real)) return isInside([uploads, ...own], real)
    return isInside(
      named.map(({ folder }) => folder),
      real,
    )
  }

  /** Tables, files and runs that the spec names, wherever they lie. */
  async #ownFiles(run: RunDirectory): Promise<string[]> {
    const spec = TrainerSpec.parse(JSON.parse(await readFile(run.spec, 'utf8')))
    const config = spec.config as unknown as Record<string, Record<string, unknown>>
    const named = PATH_KEYS.flatMap(({ section, key, kind }) => {
      const value = config[section]?.[key]
      if (typeof value !== 'string' || !isAbsolute(value)) return []
      return [kind === 'checkpoint' ? runOf(value) : value]
    })
    const resumed = spec.resume_from === null ? [] : [runOf(spec.resume_from)]
    return Promise.all([...named, ...resumed].map((path) => realpath(path).catch(() => path)))
  }
}

/** A file that is open, or all that is to be sent of a small one. */
type Opened =
  | { readonly small: Buffer; readonly handle?: undefined }
  | {
      readonly small?: undefined
      readonly handle: FileHandle
      readonly facts: ReturnType<typeof factsOf>
      readonly offset: number
    }

async function* piecesOf({
  handle,
  facts,
  offset,
}: Extract<Opened, { handle: FileHandle }>): AsyncGenerator<Buffer> {
  yield line(facts)
  const hash = createHash('sha256')
  for (let at = 0; at < facts.size_bytes; ) {
    // What has arrived before a connection broke ends where a piece does.
    const end = at < offset ? offset : facts.size_bytes
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at))
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw shortened()
    const bytes = piece.subarray(0, bytesRead)
    hash.update(bytes)
    if (at >= offset) yield bytes
    at += bytesRead
  }
  yield digestLine(hash)
}

function shortened(): Error {
  return new Error('a file became shorter while it was sent')
}

function factsOf({ size, mtimeNs }: BigIntStats) {
  return { size_bytes: Number(size), modified: String(mtimeNs) }
}

/** A checkpoint lies in checkpoints/<name> of its run, beside what else a training reads of it. */
function runOf(checkpoint: string): string {
  return dirname(dirname(checkpoint))
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function digestLine(hash: ReturnType<typeof createHash>): Buffer {
  return Buffer.from(`${hash.digest('hex')}\n`)
}
