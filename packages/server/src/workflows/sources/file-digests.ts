import { stat } from 'node:fs/promises'
import { forEachLimit } from '../../concurrency/for-each-limit.js'
import type { Database } from '../../database/database.js'
import { digestOfFile, stateOf } from '../../storage/digests.js'

/** A file that was written to just now may be written to again within the same tick of its clock: it is not remembered. */
const SETTLED_MILLISECONDS = 2000
const MAX_CONCURRENT_STATS = 32
const MAX_CONCURRENT_HASHES = 4
const ROWS = 200

/** Content digests of files, remembered by path, size, times and file number: a file is read again only when one of them changed. */
export class FileDigests {
  readonly #known = new Map<string, { seen: string; sha256: string }>()

  constructor(private readonly database: Database) {}

  /** One digest per path, in order; null for a file that is not there. Reads in small pieces: the service goes on meanwhile. */
  async of(paths: readonly string[]): Promise<(string | null)[]> {
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
    const learned: { path: string; seen: string; sha256: string }[] = []
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
    for (let start = 0; start < paths.length; start += ROWS) {
      const rows = await this.database
        .selectFrom('file_digests')
        .selectAll()
        .where('path', 'in', paths.slice(start, start + ROWS))
        .execute()
      for (const { path, seen, sha256 } of rows) this.#known.set(path, { seen, sha256 })
    }
  }

  async #remember(rows: { path: string; seen: string; sha256: string }[]): Promise<void> {
    for (const { path, seen, sha256 } of rows) this.#known.set(path, { seen, sha256 })
    for (let start = 0; start < rows.length; start += ROWS)
      await this.database
        .insertInto('file_digests')
        .values(rows.slice(start, start + ROWS))
        .onConflict((conflict) =>
          conflict.column('path').doUpdateSet((row) => ({
            seen: row.ref('excluded.seen'),
            sha256: row.ref('excluded.sha256'),
          })),
        )
        .execute()
        // Only a memory: without it the file is read again.
        .catch(() => undefined)
  }
}
