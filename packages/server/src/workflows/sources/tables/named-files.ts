import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { yieldIfDue } from '../../../concurrency/event-loop.js'
import { isInside } from '../../../security/inside.js'
import { readCells } from './table-cells.js'

/**
 * The files inside the roots to which the cells of this table may refer, sorted. This only decides on which files a result depends: a file
 * that is included by mistake is hashed unnecessarily, but a missing one would make a stale result appear current. The trainer decides the
 * meaning of a cell: an image need not have the extension of one, and a folder may be a series of DICOM files, so its files count.
 *
 * @param base real path of the folder to which the cells are relative
 * @param encoding of a CSV, as LoadTabular names it
 */
export async function namedFiles(
  table: string,
  base: string,
  encoding: string,
  roots: readonly string[],
): Promise<string[]> {
  const named = new NamedFiles(base, roots)
  let cells: string[] = []
  const look = async () => {
    const met = cells
    cells = []
    for (const cell of met) {
      const looks = named.look(cell)
      if (looks) await looks
    }
    await yieldIfDue()
  }
  await readCells(table, encoding, (cell) => cell !== '' && cells.push(cell), look)
  await look()
  return [...named.files].sort()
}

/** The entries of a folder, by the skeletons of their names. */
interface Listing {
  readonly files: Map<string, string[]>
  readonly folders: Map<string, string[]>
}

class NamedFiles {
  readonly files = new Set<string>()
  /** Only for existing folders: the number of folders that cells can name is unlimited. */
  readonly #listings = new Map<string, Listing>()
  /** Folders that cells name directly. */
  readonly #series = new Set<string>()

  constructor(
    private readonly base: string,
    private readonly roots: readonly string[],
  ) {}

  /** Returns a promise only for the first access to a folder. */
  look(cell: string): Promise<unknown> | undefined {
    const text = pathOf(cell)
    if (text === '') return undefined
    if (!FROM_ELSEWHERE.test(text)) return this.#walk(this.base, text.split('/'), 0)
    const path = resolve(this.base, text)
    const start = [this.base, ...this.roots].find((folder) => isInside([folder], path))
    if (start !== undefined) return this.#walk(start, path.slice(start.length).split(sep), 0)
    // It may be a link that leads back.
    return realpath(dirname(path)).then(
      (folder) => isInside(this.roots, folder) && this.#walk(folder, [basename(path)], 0),
      () => undefined,
    )
  }

  #walk(folder: string, names: readonly string[], at: number): Promise<unknown> | undefined {
    const listing = this.#listings.get(folder)
    if (!listing) return this.#list(folder).then(() => this.#walk(folder, names, at))
    const name = names[at] ?? ''
    const last = at === names.length - 1
    if (name === '') return last ? this.#addSeries(folder) : this.#walk(folder, names, at + 1)
    const folders = listing.folders.get(skeletonOf(name)) ?? []
    if (last) for (const file of listing.files.get(skeletonOf(name)) ?? []) this.files.add(file)
    const waits = folders.flatMap(
      (child) => (last ? this.#addSeries(child) : this.#walk(child, names, at + 1)) ?? [],
    )
    return waits.length > 0 ? Promise.all(waits) : undefined
  }

  /** The files of a folder that the trainer reads: without hidden ones, and without links that lead out of it. */
  #addSeries(folder: string): Promise<void> | undefined {
    if (this.#series.has(folder)) return undefined
    this.#series.add(folder)
    return this.#files(folder)
  }

  async #files(folder: string): Promise<void> {
    for (const entry of await this.#entries(folder)) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || entry.isDirectory()) continue
      if (entry.isFile() || (entry.isSymbolicLink() && (await leadsInto(folder, path)))) this.files.add(path)
      const waits = yieldIfDue()
      if (waits) await waits
    }
  }

  async #list(folder: string): Promise<void> {
    const listing: Listing = { files: new Map(), folders: new Map() }
    for (const entry of await this.#entries(folder)) {
      const path = join(folder, entry.name)
      const skeleton = skeletonOf(entry.name)
      if (!entry.isDirectory()) append(listing.files, skeleton, path)
      if (!entry.isFile()) append(listing.folders, skeleton, path)
      const waits = yieldIfDue()
      if (waits) await waits
    }
    this.#listings.set(folder, listing)
  }

  /** Empty if the folder cannot be read, or is outside the roots after links are resolved. */
  async #entries(folder: string): Promise<Dirent[]> {
    try {
      if (!isInside(this.roots, await realpath(folder))) return []
      return await readdir(folder, { withFileTypes: true })
    } catch {
      return []
    }
  }
}

/** An absolute path, or one that contains `.` or `..`. */
const FROM_ELSEWHERE = /^\/|(?:^|\/)\.{1,2}(?:\/|$)/

/** A cell without surrounding whitespace, and without the slice of the volume or the series of the folder that it names. */
function pathOf(cell: string): string {
  const slice = cell.lastIndexOf('#slice=')
  const whole = slice < 0 ? cell : cell.slice(0, slice)
  const series = whole.lastIndexOf('#series=')
  return (series < 0 ? whole : whole.slice(0, series)).trim()
}

async function leadsInto(folder: string, link: string): Promise<boolean> {
  try {
    return isInside([await realpath(folder)], await realpath(link))
  } catch {
    return false
  }
}

/**
 * Part of a name that does not depend on its encoding, on the composition of its letters, or on upper and lower case, which some disks
 * ignore. All files with equal skeletons are included.
 */
function skeletonOf(name: string): string {
  if (!NOT_BARE.test(name)) return name
  return name
    .normalize('NFC')
    .replace(/[^\x21-\x7e]+/g, '')
    .toLowerCase()
}

const NOT_BARE = /[^\x21-\x40\x5b-\x7e]/

function append(names: Map<string, string[]>, skeleton: string, path: string): void {
  const known = names.get(skeleton)
  if (known) known.push(path)
  else names.set(skeleton, [path])
}
