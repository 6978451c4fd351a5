import { realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { after } from '../../concurrency/timer.js'
import { NAMED_IMAGES_MILLISECONDS } from '../../durations.js'
import type { TaskParams, TaskPool } from '../../ports/task-pool.js'
import { stateOf } from '../../storage/digests.js'
import { isInside } from '../../storage/is-inside.js'

export type NamedTable = TaskParams<'named_images'>['tables'][number]
/** The image cells of a table, by folder. */
export interface NamedInFolder {
  /** Absolute. */
  readonly folder: string
  /** Files, or folders of series. */
  readonly names: readonly string[]
}

/** Files that the tables name, and the folders in which a new file may make a further column an image column. */
interface Read {
  readonly named: readonly (readonly NamedInFolder[])[]
  readonly undecided: readonly string[]
}
interface Known {
  readonly read: Read
  readonly states: string
  readonly cancelExpiry: () => void
}

/** Number of remembered results, most recently used. */
const MAX_REMEMBERED = 16
/** A file that has just changed may change again within the same tick of its clock, so the result is not remembered. */
const SETTLED_MILLISECONDS = 2000

/** The images that tables name, as the trainer reads the tables. Unchanged tables are not read again. */
export class NamedImages {
  readonly #known = new Map<string, Known>()
  readonly #running = new Map<string, Promise<Read>>()

  constructor(private readonly pool: Pick<TaskPool, 'run'>) {}

  /**
   * For each table what its image cells name, sorted, whether it exists or not, inside the roots or not; the same array while nothing has
   * changed.
   * @param imageColumns in addition to columns whose values look like image files
   * @throws AppError if no worker answers
   */
  async find(tables: readonly NamedTable[], imageColumns: readonly string[]): Promise<Read['named']> {
    const params = { tables: [...tables], image_columns: [...imageColumns] }
    const key = JSON.stringify(params)
    const known = this.#known.get(key)
    if (known && known.states === (await statesOf(tables, known.read)).states) {
      this.#remember(key, known)
      return known.read.named
    }
    const running = this.#running.get(key) ?? this.#read(key, params).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return (await running).named
  }

  async #read(key: string, params: TaskParams<'named_images'>): Promise<Read> {
    const since = Date.now()
    const sizes = await Promise.all(params.tables.map(({ path }) => stat(path).catch(() => null)))
    const bytes = sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
    const { tables, undecided } = await this.pool.run('named_images', params, { reads: { bytes } })
    const named = tables.map((folders, index) => {
      const root = params.tables[index]?.image_root ?? ''
      return folders.map(({ folder, names }) => ({ folder: resolve(root, folder), names }))
    })
    const read = { named, undecided }
    const { states, changed } = await statesOf(params.tables, read)
    if (changed < since - SETTLED_MILLISECONDS) this.#remember(key, { read, states })
    return read
  }

  #remember(key: string, { read, states }: Omit<Known, 'cancelExpiry'>): void {
    this.#forget(key)
    const cancelExpiry = after(NAMED_IMAGES_MILLISECONDS, () => this.#forget(key))
    this.#known.set(key, { read, states, cancelExpiry })
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size > MAX_REMEMBERED) this.#forget(oldest)
  }

  #forget(key: string): void {
    this.#known.get(key)?.cancelExpiry()
    this.#known.delete(key)
  }
}

/** States of everything on which the result depends, and the time of the latest change. */
async function statesOf(
  tables: readonly NamedTable[],
  { undecided }: Read,
): Promise<{ states: string; changed: number }> {
  const paths = [...tables.map(({ path }) => path), ...undecided]
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
  return {
    states: JSON.stringify(found.map((state) => state && stateOf(state))),
    changed: Math.max(0, ...found.map((state) => Math.max(state?.mtimeMs ?? 0, state?.ctimeMs ?? 0))),
  }
}

/** The paths in folders that are inside the roots after links are resolved. */
export async function pathsInside(
  roots: readonly string[],
  named: readonly NamedInFolder[],
): Promise<string[]> {
  const paths: string[] = []
  for (const { folder, names } of named) {
    const real = await realpath(folder).catch(() => null)
    const isAllowed = real !== null && isInside(roots, real)
    const prefix = folder.endsWith(sep) ? folder : folder + sep
    for (const name of names) if (isAllowed || roots.includes(prefix + name)) paths.push(prefix + name)
    await yieldIfDue()
  }
  return paths
}
