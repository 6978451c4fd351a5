import type { Blob } from '@medloom/contracts'
import type { Origin } from '@medloom/workflow'
import type { CompiledQuery } from 'kysely'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { BATCH_ROWS, batches, slices } from '../../database/batches.js'
import { CompiledQueries } from '../../database/compiled-queries.js'
import type { Database } from '../../database/database.js'
import { StoredKeys } from './stored-keys.js'

export interface StoredResult {
  readonly key: string
  /** JSON. */
  readonly outputs: string
  /** Milliseconds since 1970. */
  readonly created_at: number
}

export interface NewResult extends StoredResult {
  readonly origin: Origin
  /** The files that the outputs refer to. */
  readonly blobs: readonly Blob[]
}

const KEYS_PER_PAGE = 2000
const RESULT_COLUMNS = ['key', 'outputs', 'created_at', 'workflow_id', 'node', 'type'] as const
const FILE_COLUMNS = ['key', 'sha256', 'suffix', 'size_bytes'] as const

/** Results of nodes by cache key, and the files of the artifact store that they refer to. */
export class CacheRepository {
  /** Each node of a run looks a result up and stores one. */
  readonly #queries: CompiledQueries
  /** Absent if other processes also store results. */
  readonly #stored: StoredKeys | undefined
  #loading: Promise<void> | undefined

  constructor(private readonly database: Database) {
    this.#queries = new CompiledQueries(database)
    if (!database.server) this.#stored = new StoredKeys()
  }

  /** The keys that have a result. */
  async find(keys: readonly string[]): Promise<StoredResult[]> {
    const found: StoredResult[] = []
    // Until the keys are known, all are looked up; a database that cannot be read fails the lookups themselves.
    this.#loading ??= this.#stored?.load(this.#allKeys()).catch(() => undefined)
    const possible = this.#stored ? keys.filter((key) => this.#stored?.mayHave(key)) : keys
    for await (const some of batches(possible)) {
      const { rows } = await this.#queries.execute<StoredResult>(
        this.database,
        `find ${some.length}`,
        some,
        (connection, slot) =>
          connection
            .selectFrom('cached_results')
            .select(['key', 'outputs', 'created_at'])
            .where('key', 'in', slotsOf(some, slot)),
      )
      found.push(...rows)
    }
    return found
  }

  /** The keys of the results of a node of a workflow, newest first. */
  async keysOf(workflow: string, node: string): Promise<string[]> {
    const rows = await this.database
      .selectFrom('cached_results')
      .select('key')
      .where('workflow_id', '=', workflow)
      .where('node', '=', node)
      .orderBy('created_at', 'desc')
      .limit(BATCH_ROWS)
      .execute()
    return rows.map(({ key }) => key)
  }

  /** The latest results of the nodes of a workflow, page by page. */
  async *latestOf(workflow: string): AsyncGenerator<readonly StoredResult[], void, void> {
    for (let after = '', full = true; full; ) {
      await yieldIfDue()
      const rows = await this.database
        .selectFrom('workflow_made')
        .leftJoin('cached_results', 'cached_results.key', 'workflow_made.key')
        .select([
          'workflow_made.node',
          'workflow_made.key',
          'cached_results.outputs',
          'cached_results.created_at',
        ])
        .where('workflow_made.workflow_id', '=', workflow)
        .where('workflow_made.node', '>', after)
        .orderBy('workflow_made.node')
        .limit(BATCH_ROWS)
        .execute()
      yield rows.flatMap(({ key, outputs, created_at }) =>
        outputs === null || created_at === null ? [] : [{ key, outputs, created_at }],
      )
      after = rows.at(-1)?.node ?? ''
      full = rows.length === BATCH_ROWS
    }
  }

  /** Replaces the results of the keys. The commit does not wait for the disk: a lost result is computed again. */
  async replace(results: readonly NewResult[]): Promise<void> {
    const rows = results.map(({ blobs: _, origin: { workflow, node, type }, ...result }) => ({
      ...result,
      workflow_id: workflow,
      node,
      type,
    }))
    const files = results.flatMap(({ key, blobs }) => blobs.map((blob) => ({ key, ...blob })))
    const keys = results.map(({ key }) => key)
    this.#stored?.add(keys)
    await this.database.atOnceWithoutWaiting([
      ...slices(keys).map((some) => this.#delete(some)),
      ...slices(rows).map((some) => this.#insert('cached_results', RESULT_COLUMNS, some)),
      ...slices(files).map((some) => this.#insert('cached_blobs', FILE_COLUMNS, some)),
    ])
  }

  #delete(keys: readonly string[]): CompiledQuery {
    return this.#queries.compiled(`delete ${keys.length}`, keys, (connection, slot) =>
      connection.deleteFrom('cached_results').where('key', 'in', slotsOf(keys, slot)),
    )
  }

  #insert<Column extends string>(
    table: 'cached_results' | 'cached_blobs',
    columns: readonly Column[],
    rows: readonly Readonly<Record<Column, unknown>>[],
  ): CompiledQuery {
    const values = rows.flatMap((row) => columns.map((column) => row[column]))
    return this.#queries.compiled(`${table} ${rows.length}`, values, (connection, slot) =>
      connection.insertInto(table).values(
        rows.map((_, index) => {
          const cells = columns.map((column, place) => [column, slot(index * columns.length + place)])
          return Object.fromEntries(cells)
        }),
      ),
    )
  }

  /**
   * Remove results of a node, of a workflow, or all, and the links to the training jobs that computed them. Yields the keys that had a
   * result, in batches: between two batches, other statements are executed.
   */
  async *clear({
    workflow,
    node,
  }: {
    workflow?: string
    node?: string
  }): AsyncGenerator<readonly string[], void, void> {
    const { database } = this
    let jobs = database.deleteFrom('workflow_jobs')
    if (workflow !== undefined) jobs = jobs.where('workflow_id', '=', workflow)
    if (node !== undefined) jobs = jobs.where('node', '=', node)
    await jobs.execute()
    let own = database.selectFrom('cached_results').select('cached_results.key').limit(BATCH_ROWS)
    if (workflow !== undefined) own = own.where('workflow_id', '=', workflow)
    if (node !== undefined) own = own.where('node', '=', node)
    yield* this.#clearBatches(() => own.execute())
    if (workflow === undefined) return
    // Results that it uses but that another workflow computed.
    let used = database
      .selectFrom('workflow_made')
      .innerJoin('cached_results', 'cached_results.key', 'workflow_made.key')
      .select('cached_results.key')
      .where('workflow_made.workflow_id', '=', workflow)
      .limit(BATCH_ROWS)
    if (node !== undefined) used = used.where('workflow_made.node', '=', node)
    yield* this.#clearBatches(() => used.execute())
  }

  async *#clearBatches(
    next: () => Promise<{ key: string }[]>,
  ): AsyncGenerator<readonly string[], void, void> {
    for (let rows = await next(); rows.length > 0; rows = await next()) {
      await yieldIfDue()
      const keys = [...new Set(rows.map(({ key }) => key))]
      await this.#remove(keys)
      yield keys
    }
  }

  async #remove(keys: readonly string[]): Promise<void> {
    this.#stored?.delete(keys)
    await this.database.deleteFrom('cached_results').where('key', 'in', keys).execute()
  }

  /** By age, because that index contains them: the results are not read. */
  async *#allKeys(): AsyncGenerator<readonly string[], void, void> {
    for (let last = { created_at: 0, key: '' }, full = true; full; ) {
      await yieldIfDue()
      const rows = await this.database.reading
        .selectFrom('cached_results')
        .select(['created_at', 'key'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'key'), '>', tuple(last.created_at, last.key)),
        )
        .orderBy('created_at')
        .orderBy('key')
        .limit(KEYS_PER_PAGE)
        .execute()
      yield rows.map(({ key }) => key)
      last = rows.at(-1) ?? last
      full = rows.length === KEYS_PER_PAGE
    }
  }

  /** The keys of results that were stored at `limit` (milliseconds since 1970) or earlier. */
  async keptBefore(limit: number): Promise<string[]> {
    const rows = await this.database
      .selectFrom('cached_results')
      .select('key')
      .where('created_at', '<=', limit)
      .execute()
    return rows.map(({ key }) => key)
  }

  async remove(keys: readonly string[]): Promise<void> {
    for await (const some of batches(keys)) await this.#remove(some)
  }

  async counts(): Promise<{ results: number; files: number; size_bytes: number }> {
    const { results } = await this.database
      .selectFrom('cached_results')
      .select((select) => select.fn.countAll<number>().as('results'))
      .executeTakeFirstOrThrow()
    const files = this.database
      .selectFrom('cached_blobs')
      .select(['sha256', 'suffix', 'size_bytes'])
      .distinct()
      .as('files')
    const counted = await this.database
      .selectFrom(files)
      .select((select) => [
        select.fn.countAll<number>().as('files'),
        select.fn.sum<number | null>('size_bytes').as('size_bytes'),
      ])
      .executeTakeFirstOrThrow()
    return { results, files: counted.files, size_bytes: counted.size_bytes ?? 0 }
  }

  /** Names (`<sha256><suffix>`) of the files to which results refer and whose digest begins with these two digits. */
  async filesStartingWith(prefix: string): Promise<Set<string>> {
    const rows = await this.database
      .selectFrom('cached_blobs')
      .select(['sha256', 'suffix'])
      .distinct()
      .where('sha256', '>=', prefix)
      .where('sha256', '<', `${prefix}g`)
      .execute()
    return new Set(rows.map(({ sha256, suffix }) => sha256 + suffix))
  }
}

function slotsOf(values: readonly unknown[], slot: (index: number) => never): never[] {
  return values.map((_, index) => slot(index))
}
