import { stat } from 'node:fs/promises'
import { forEachLimit } from '../../concurrency/for-each-limit.js'
import type { Database } from '../../database/database.js'
import type { FileDigestRow } from '../../database/schema.js'
import { digestOfFile, stateOf } from '../../storage/digests.js'
import { FileDigestsRepository } from './file-digests.repository.js'

/** A file that was just written may be written again within the same tick of its clock, so its digest is not stored. */
const SETTLED_MILLISECONDS = 2000
const MAX_CONCURRENT_STATS = 32
const MAX_CONCURRENT_HASHES = 4

/** Content digests of files, cached by path, size, times and inode number: a file is read again only when one of them changed. */
export class FileDigests {
  readonly #known = new Map<string, { seen: string; sha256: string }>()

  readonly #repository: FileDigestsRepository

  constructor(database: Database) {
    this.#repository = new FileDigestsRepository(database)
  }

  /** One digest per path, in order; null for a missing file. Reads in small pieces, so that the service stays responsive. */
  async digests(paths: readonly string[]): Promise<(string | null)[]> {
    const states = new Map<string, { seen: string; settled: boolean }>()
    await forEachLimit(MAX_CONCURRENT_STATS, [...new Set(paths)], async (path) => {
      const found = await stat(path).catch(() => null)
      if (found?.isFile())
        states.set(path, {
          seen: stateOf(found),
          settled: Date.now() - Math.max(found.mtimeMs, found.ctimeMs) > SETTLED_MILLISECONDS,
        })
    })
    await this.#recall([...states.keys()].filter((path) => !this.#known.has(path)))
    const fresh = new Map<string, string>()
    const changed = [...states].filter(([path, { seen }]) => this.#known.get(path)?.seen !== seen)
    const learned: FileDigestRow[] = []
    await forEachLimit(MAX_CONCURRENT_HASHES, changed, async ([path, { seen, settled }]) => {
      const sha256 = await digestOfFile(path)
      fresh.set(path, sha256)
      if (settled) learned.push({ path, seen, sha256 })
    })
    await this.#remember(learned)
    return paths.map((path) =>
      states.has(path) ? (fresh.get(path) ?? this.#known.get(path)?.sha256 ?? null) : null,
    )
  }

  async #recall(paths: readonly string[]): Promise<void> {
    for (const { path, seen, sha256 } of await this.#repository.find(paths))
      this.#known.set(path, { seen, sha256 })
  }

  async #remember(rows: readonly FileDigestRow[]): Promise<void> {
    for (const { path, seen, sha256 } of rows) this.#known.set(path, { seen, sha256 })
    // Only a cache: without it the file is read again.
    await this.#repository.save(rows).catch(() => undefined)
  }
}
