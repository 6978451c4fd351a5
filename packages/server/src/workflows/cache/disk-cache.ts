import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Blob, type NodeContent, readWarnings } from '@medloom/contracts'
import type { Lease, Origin, Outputs, ResultCache } from '@medloom/workflow'
import type { Transaction } from 'kysely'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { type Database, type Reader, withoutWaiting } from '../../database/database.js'
import type { Tables } from '../../database/schema.js'
import { standsUnchanged } from '../../storage/checkpoints.js'
import type { ArtifactStore } from './artifact-store.js'
import { blobsOf } from './blobs-of.js'

export interface DiskCacheOptions {
  readonly database: Database
  readonly reader: Reader
  readonly store: ArtifactStore
  /** Checkpoints of trained models are found from here. */
  readonly dataDir: string
  /** A result that is there but cannot be used. */
  readonly warn: (message: string, key: string) => void
  readonly now?: () => number
  /** Milliseconds after which a result expires. */
  readonly timeToLive: number
  /** Results kept in memory. */
  readonly inMemory?: number
}

const IN_MEMORY = 10_000

interface Entry {
  readonly outputs: Outputs
  /** The files that the outputs refer to. */
  readonly blobs: readonly Blob[]
  readonly createdAt: number
}

interface Unwritten {
  readonly key: string
  readonly entry: Entry
  readonly origin: Origin
}

interface Batch {
  readonly results: Unwritten[]
  readonly written: Promise<void>
}

const RESULTS_PER_COMMIT = 100
/** Of one statement. */
const ROWS = 200

/**
 * Results by key: rows in the database, what is large in the artifact store, the recently used in memory too. Survives the service.
 * What is expired, damaged or gone is a miss.
 */
export class DiskCache implements ResultCache {
  /** In order of use, oldest first. */
  readonly #memory = new Map<string, Entry>()
  readonly #leases = new Map<string, { count: number; readonly blobs: readonly Blob[] }>()
  readonly #now: () => number
  /** Not begun to be written, oldest first. */
  readonly #batches: Batch[] = []

  constructor(private readonly options: DiskCacheOptions) {
    this.#now = options.now ?? Date.now
  }

  peek(key: string): Outputs | undefined {
    return this.#find(key)?.outputs
  }

  acquire(key: string): Lease | undefined {
    const entry = this.#find(key)
    return entry && this.#lease(key, entry)
  }

  async put(key: string, outputs: Outputs, origin: Origin): Promise<Lease> {
    const entry = { outputs, blobs: blobsOf(outputs), createdAt: this.#now() }
    const lease = this.#lease(key, entry)
    try {
      await this.#written(key, entry, origin)
    } catch (error) {
      lease.release()
      throw error
    }
    this.#remember(key, entry)
    return lease
  }

  /** Results that come while others are being written are written together, so many share one commit. */
  #written(key: string, entry: Entry, origin: Origin): Promise<void> {
    const last = this.#batches.at(-1)
    const batch = last && last.results.length < RESULTS_PER_COMMIT ? last : this.#newBatch()
    batch.results.push({ key, entry, origin })
    return batch.written
  }

  /** Written once those before it are, and after a turn of the event loop: writing never keeps the service from answering for long. */
  #newBatch(): Batch {
    const results: Unwritten[] = []
    const before = this.#batches.at(-1)?.written ?? Promise.resolve()
    const written = before
      .catch(() => undefined)
      .then(() => setImmediate())
      .then(async () => {
        this.#batches.shift()
        await withoutWaiting(this.options.database, (transaction) => write(transaction, results))
      })
    const batch = { results, written }
    this.#batches.push(batch)
    return batch
  }

  /** Forget results: of a node, of a workflow, or all. Runs that hold some keep them. */
  async clear({ workflow, node }: { workflow?: string; node?: string } = {}): Promise<number> {
    const { database } = this.options
    return database.transaction().execute(async (transaction) => {
      let select = transaction.selectFrom('cached_results').select('key')
      if (workflow !== undefined)
        select = select.where((where) => {
          let made = where
            .selectFrom('workflow_made')
            .select('workflow_made.key')
            .where('workflow_made.workflow_id', '=', workflow)
          if (node !== undefined) made = made.where('workflow_made.node', '=', node)
          const own = [where('cached_results.workflow_id', '=', workflow)]
          if (node !== undefined) own.push(where('cached_results.node', '=', node))
          return where.or([where('cached_results.key', 'in', made), where.and(own)])
        })
      const keys = (await select.execute()).map((row) => row.key)
      for (let start = 0; start < keys.length; start += ROWS) {
        await yieldIfDue()
        await transaction
          .deleteFrom('cached_results')
          .where('key', 'in', keys.slice(start, start + ROWS))
          .execute()
      }
      let jobs = transaction.deleteFrom('workflow_jobs')
      if (workflow !== undefined) jobs = jobs.where('workflow_id', '=', workflow)
      if (node !== undefined) jobs = jobs.where('node', '=', node)
      await jobs.execute()
      for (const key of keys) this.#memory.delete(key)
      return keys.length
    })
  }

  async state(): Promise<{ results: number; files: number; size_bytes: number }> {
    const { database } = this.options
    const { results } = await database
      .selectFrom('cached_results')
      .select((select) => select.fn.countAll<number>().as('results'))
      .executeTakeFirstOrThrow()
    const blobs = await database
      .selectFrom('cached_blobs')
      .select(['sha256', 'suffix', 'size_bytes'])
      .distinct()
      .execute()
    return { results, files: blobs.length, size_bytes: blobs.reduce((sum, blob) => sum + blob.size_bytes, 0) }
  }

  /** Forget what has expired and nobody holds. */
  async sweep(): Promise<void> {
    const limit = this.#now() - this.options.timeToLive
    const held = [...this.#leases.keys()]
    const expired = await this.options.database
      .selectFrom('cached_results')
      .select('key')
      .where('created_at', '<=', limit)
      .execute()
    for (const { key } of expired) {
      if (held.includes(key)) continue
      this.#memory.delete(key)
      await this.options.database.deleteFrom('cached_results').where('key', '=', key).execute()
    }
  }

  /** Files that results which are held refer to, as `<sha256><suffix>`. */
  heldBlobs(): Set<string> {
    return new Set(
      [...this.#leases.values()].flatMap(({ blobs }) => blobs.map(({ sha256, suffix }) => sha256 + suffix)),
    )
  }

  #find(key: string): Entry | undefined {
    const entry = this.#memory.get(key) ?? this.#read(key)
    if (!entry) return undefined
    if (this.#now() - entry.createdAt >= this.options.timeToLive) {
      this.#memory.delete(key)
      return undefined
    }
    const fault = this.#fault(entry)
    if (fault) {
      this.#memory.delete(key)
      this.options.warn(fault, key)
      return undefined
    }
    this.#remember(key, entry)
    return entry
  }

  #read(key: string): Entry | undefined {
    const [row] = this.options.reader.rows<{ outputs: string; created_at: number }>(
      'SELECT outputs, created_at FROM cached_results WHERE key = ?',
      key,
    )
    if (!row) return undefined
    try {
      const outputs = readOutputs(row.outputs)
      return { outputs, blobs: blobsOf(outputs), createdAt: row.created_at }
    } catch {
      this.options.warn('its record cannot be read', key)
      return undefined
    }
  }

  #fault({ outputs, blobs, createdAt }: Entry): string | undefined {
    if (!blobs.every((blob) => this.options.store.isSound(blob, createdAt)))
      return 'a file of it is missing or damaged'
    for (const { content } of Object.values(outputs)) {
      const model = content as NodeContent
      if (model?.content !== 'trained_model') continue
      const checkpoint = join(this.options.dataDir, model.checkpoint)
      if (!standsUnchanged(checkpoint, model.checkpoint_digest, createdAt))
        return 'its checkpoint is gone or damaged'
    }
    return undefined
  }

  #remember(key: string, entry: Entry): void {
    this.#memory.delete(key)
    this.#memory.set(key, entry)
    const [oldest] = this.#memory.keys()
    if (this.#memory.size > (this.options.inMemory ?? IN_MEMORY) && oldest !== undefined)
      this.#memory.delete(oldest)
  }

  #lease(key: string, { outputs, blobs }: Entry): Lease {
    const held = this.#leases.get(key) ?? { count: 0, blobs }
    this.#leases.set(key, held)
    held.count++
    let mine = true
    return {
      outputs,
      release: () => {
        if (!mine) return
        mine = false
        if (--held.count === 0) this.#leases.delete(key)
      },
    }
  }
}

/** Replaces what stood under the keys. Of two results under one key, which two runs were made to compute, the later stands. */
async function write(transaction: Transaction<Tables>, results: readonly Unwritten[]): Promise<void> {
  const latest = [...new Map(results.map((result) => [result.key, result])).values()]
  const keys = latest.map(({ key }) => key)
  await transaction.deleteFrom('cached_results').where('key', 'in', keys).execute()
  const rows = latest.map(({ key, entry: { outputs, createdAt }, origin: { workflow, node, type } }) => ({
    key,
    workflow_id: workflow,
    node,
    type,
    outputs: JSON.stringify(outputs),
    created_at: createdAt,
  }))
  await transaction.insertInto('cached_results').values(rows).execute()
  const blobs = latest.flatMap(({ key, entry }) => entry.blobs.map((blob) => ({ key, ...blob })))
  for (let start = 0; start < blobs.length; start += ROWS)
    await transaction
      .insertInto('cached_blobs')
      .values(blobs.slice(start, start + ROWS))
      .execute()
}

/** Results of before warnings had codes keep the messages alone. */
function readOutputs(text: string): Outputs {
  return Object.fromEntries(
    Object.entries(JSON.parse(text) as Outputs).map(([port, value]) => [
      port,
      value.warnings ? { ...value, warnings: readWarnings(value.warnings) } : value,
    ]),
  )
}
