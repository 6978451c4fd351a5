import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { type FileHandle, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { DataFacts, DataPath } from '@medloom/contracts'
import { forEachLimit } from '../../../concurrency/for-each-limit.js'
import type { TaskPool } from '../../../ports/task-pool.js'
import { DATA_ROOT, type NamedRoot } from '../../../security/named-roots.js'
import { isInside } from '../../../storage/is-inside.js'
import { nullIfUnreadable } from '../../../storage/null-if-missing.js'
import { openRegular } from '../../../storage/regular-file.js'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { type TrainingInputs, TrainingInputsReader } from './training-inputs.js'

type Facts = DataFacts['facts'][number]
type Asked = DataPath & { readonly offset: number }

const AT_A_TIME = 16
/** A file up to this size is read at once, in parallel with others; a larger one in pieces. */
const SMALL_BYTES = 1024 * 1024
const PIECE_BYTES = 256 * 1024

export interface ServedDataOptions {
  /** The roots and the data folder, by name. */
  readonly named: readonly NamedRoot[]
  /** Folder in the data folder from which requests may name files. */
  readonly uploads: string
  /** Reads the tables. */
  readonly pool: Pick<TaskPool, 'run'>
}

/** The files that a training reads, for a node that has none of them. */
export class ServedData {
  readonly #roots: readonly string[]
  readonly #data: readonly string[]
  readonly #named: TrainingInputsReader

  constructor(readonly options: ServedDataOptions) {
    const foldersOf = (isData: boolean) =>
      options.named.filter(({ name }) => (name === DATA_ROOT) === isData).map(({ folder }) => folder)
    this.#roots = foldersOf(false)
    this.#data = foldersOf(true)
    this.#named = new TrainingInputsReader(options.pool)
  }

  /** The facts of each path; null if a training of this service could not read it either. */
  async facts(run: RunDirectory, paths: readonly DataPath[]): Promise<DataFacts> {
    const named = await this.#named.read(run)
    const facts: Facts[] = paths.map(() => null)
    await forEachLimit(AT_A_TIME, [...paths.entries()], async ([index, path]) => {
      facts[index] = await this.#factsOf(path, named)
    })
    return { facts }
  }

  /**
   * The contents from their offsets on, each between a line of facts and the digest of the whole content. A file that changes meanwhile
   * aborts the response.
   */
  async contents(run: RunDirectory, files: readonly Asked[]): Promise<Readable> {
    const named = await this.#named.read(run)
    return Readable.from(this.#contents(files, named), { objectMode: false, highWaterMark: 4 * PIECE_BYTES })
  }

  async *#contents(files: readonly Asked[], named: TrainingInputs): AsyncGenerator<Buffer> {
    const opened: Promise<Opened | null>[] = []
    try {
      for (let index = 0; index < files.length; index++) {
        while (opened.length < Math.min(files.length, index + AT_A_TIME)) {
          const next = this.#open(files[opened.length] as Asked, named)
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

  async #open(request: Asked, named: TrainingInputs): Promise<Opened | null> {
    const place = await this.#locate(request, named)
    const handle = place === null ? null : await openRegular(place.real).catch(() => null)
    if (!handle) return null
    try {
      const facts = factsOf(await handle.stat({ bigint: true }))
      const { size_bytes: size } = facts
      if (size > SMALL_BYTES) return { handle, facts, offset: request.offset }
      const content = Buffer.alloc(size)
      const { bytesRead } = await handle.read(content, 0, size, 0)
      if (bytesRead !== size) throw shortened()
      await handle.close()
      const rest = content.subarray(request.offset)
      return { small: Buffer.concat([line(facts), rest, digestLine(createHash('sha256').update(content))]) }
    } catch (error) {
      await handle.close().catch(() => undefined)
      throw error
    }
  }

  async #factsOf(request: DataPath, named: TrainingInputs): Promise<Facts> {
    const place = await this.#locate(request, named)
    const found = place === null ? null : await nullIfUnreadable(stat(place.real, { bigint: true }))
    if (place === null || !found) return null
    if (found.isFile()) return factsOf(found)
    return found.isDirectory() ? this.#folder(place, named) : null
  }

  /** Only entries that the training may read. */
  async #folder(place: Place, named: TrainingInputs): Promise<Facts> {
    const files: [name: string, ReturnType<typeof factsOf>][] = []
    const folders: string[] = []
    await forEachLimit(AT_A_TIME, await readdir(place.real), async (name) => {
      const inside = await placeAt(join(place.named, name))
      const isAllowed = inside !== null && (await this.#allows(inside, named))
      const found = isAllowed ? await nullIfUnreadable(stat(inside.real, { bigint: true })) : null
      if (found?.isFile()) files.push([name, factsOf(found)])
      else if (found?.isDirectory()) folders.push(name)
    })
    // Sorted by name, whatever the order in which they were found.
    files.sort(([one], [other]) => (one < other ? -1 : 1))
    return { files: Object.fromEntries(files), folders: folders.sort() }
  }

  /** Null if it does not exist or may not be read. */
  async #locate({ root, path }: DataPath, named: TrainingInputs): Promise<Place | null> {
    const folder = this.options.named.find(({ name }) => name === root)?.folder
    if (folder === undefined || path.includes('\0')) return null
    const place = await placeAt(join(folder, ...path.split('/')))
    return place !== null && (await this.#allows(place, named)) ? place : null
  }

  /**
   * Inside a root, and named by the training. In the data folder, which may be inside a root: only uploads, and the training's own files.
   */
  async #allows(place: Place, { own, inTables }: TrainingInputs): Promise<boolean> {
    if (!isInside([...this.#roots, ...this.#data], place.real)) return false
    if (isInside(own, place.real)) return true
    if (isInside(this.#data, place.real) && !isInside([this.options.uploads], place.real)) return false
    const paths = [place.named, place.real]
    if (own.some((path) => paths.includes(dirname(path)))) return true
    const { images, folders } = await inTables()
    return paths.some((path) => images.has(path) || folders.has(path)) || isOfSeries(place, images)
  }
}

/** A file of a folder that a table names: neither hidden nor behind a link. */
async function isOfSeries({ named, real }: Place, images: ReadonlySet<string>): Promise<boolean> {
  if (!images.has(dirname(named)) || basename(named).startsWith('.')) return false
  const folder = await nullIfUnreadable(realpath(dirname(named)))
  return folder !== null && isInside([folder], real)
}

/** A requested path, and the same path with links resolved. Both are absolute. */
interface Place {
  readonly named: string
  readonly real: string
}

async function placeAt(named: string): Promise<Place | null> {
  const real = await nullIfUnreadable(realpath(named))
  return real === null ? null : { named, real }
}

/** An open file, or the complete content of a small one. */
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
  for (let index = 0; index < facts.size_bytes; ) {
    // A broken connection leaves data that ends at the boundary of a piece.
    const end = index < offset ? offset : facts.size_bytes
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - index))
    const { bytesRead } = await handle.read(piece, 0, piece.length, index)
    if (bytesRead === 0) throw shortened()
    const bytes = piece.subarray(0, bytesRead)
    hash.update(bytes)
    if (index >= offset) yield bytes
    index += bytesRead
  }
  yield digestLine(hash)
}

function shortened(): Error {
  return new Error('a file was truncated while it was sent')
}

function factsOf({ size, mtimeNs }: BigIntStats) {
  return { size_bytes: Number(size), modified: String(mtimeNs) }
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function digestLine(hash: ReturnType<typeof createHash>): Buffer {
  return Buffer.from(`${hash.digest('hex')}\n`)
}
