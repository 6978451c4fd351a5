import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outputs } from '@medloom/workflow'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { draw } from '../../../testing/draw.js'
import { migratedFile } from '../../../testing/migrated-file.js'
import { type Database, openDatabase } from '../../database/database.js'
import { ConnectionThread } from '../../database/sqlite/connection-thread.js'
import { RESULT_COMMIT_MILLISECONDS } from '../../durations.js'
import { WorkflowsRepository } from '../workflows.repository.js'
import { ArtifactStore } from './artifact-store.js'
import { CacheRepository } from './cache.repository.js'
import { collectGarbage } from './collect.js'
import { DiskCache } from './disk-cache.js'
import { referencedBlobs } from './referenced-blobs.js'

let folder: string
let database: Database
let repository: CacheRepository
let store: ArtifactStore
let now: number
let warnings: string[]
const ORIGIN = { workflow: 'w', node: 'n', type: 'FilterData' }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-cache-'))
  database = await openDatabase(await migratedFile(join(folder, 'medloom.db')))
  repository = new CacheRepository(database)
  store = new ArtifactStore(join(folder, 'artifacts'))
  now = Date.now()
  warnings = []
})
afterEach(async () => {
  await database.destroy()
  rmSync(folder, { recursive: true, force: true })
})

const opened = () =>
  new DiskCache({
    repository,
    store,
    dataDir: folder,
    warn: (message) => warnings.push(message),
    now: () => now,
    timeToLive: 1000,
    inMemory: 2,
  })
const peek = async (cache: DiskCache, key: string) => (await cache.peekMany([key])).get(key)
const outputsOf = async (text: string): Promise<Outputs> => ({
  out: {
    type: 'tabular',
    digest: `digest of ${text}`,
    summary: text,
    content: { content: 'predictions', table: await store.put(text, '.csv'), num_cases: 1, columns: [] },
  },
})
const files = () =>
  readdirSync(join(folder, 'artifacts'), { recursive: true }).filter((name) => String(name).endsWith('.csv'))
const collect = (cache: DiskCache) =>
  collectGarbage({
    folder: store.folder,
    repository,
    held: () => cache.heldBlobs(),
    signal: new AbortController().signal,
    now: () => now + 3_600_000,
  })

describe('the cache', () => {
  it('gives back what was put, also to the next service', async () => {
    const outputs = await outputsOf('a')
    ;(await opened().put('key', outputs, ORIGIN)).release()
    expect(await peek(opened(), 'key')).toEqual(outputs)
    expect(await peek(opened(), 'other')).toBeUndefined()
  })

  it('stores more results than it keeps in memory', async () => {
    const cache = opened()
    for (const name of ['a', 'b', 'c', 'd']) (await cache.put(name, await outputsOf(name), ORIGIN)).release()
    for (const name of ['a', 'b', 'c', 'd']) expect((await peek(cache, name))?.out?.summary).toBe(name)
  })

  it('queries the database once for many keys, and not for prefetched results of a workflow', async () => {
    const first = opened()
    for (const name of ['a', 'b']) (await first.put(name, await outputsOf(name), ORIGIN)).release()
    await new WorkflowsRepository(database).insert('w', draw({}), database)
    await sql`INSERT INTO workflow_made VALUES ('w', 'n1', 'a', '{}', 1), ('w', 'n2', 'b', '{}', NULL)`.execute(
      database,
    )
    const find = vi.spyOn(repository, 'find')

    expect((await opened().peekMany(['a', 'b', 'other'])).size).toBe(2)
    expect(find).toHaveBeenCalledTimes(1)

    const second = opened()
    await second.preload('w')
    expect((await second.peekMany(['a', 'b'])).size).toBe(2)
    expect(find).toHaveBeenCalledTimes(1)
  })

  it('does not query the database for keys that were never stored, once it knows the stored ones', async () => {
    ;(await opened().put('earlier', await outputsOf('a'), ORIGIN)).release()
    repository = new CacheRepository(database)
    const query = vi.spyOn(ConnectionThread.prototype, 'statement')
    await vi.waitFor(async () => {
      query.mockClear()
      await peek(opened(), 'new')
      expect(query).not.toHaveBeenCalled()
    })
    expect(await peek(opened(), 'earlier')).toBeDefined()
    ;(await opened().put('new', await outputsOf('b'), ORIGIN)).release()
    expect(await peek(opened(), 'new')).toBeDefined()
    const both = [opened().clear(), opened().put('new', await outputsOf('c'), ORIGIN)]
    await Promise.all(both)
    expect(await peek(opened(), 'earlier')).toBeUndefined()
    expect((await peek(opened(), 'new'))?.out?.summary).toBe(
      (await opened().state()).results === 1 ? 'c' : undefined,
    )
  })

  it('does not cache a result that is removed while it is being read', async () => {
    ;(await opened().put('key', await outputsOf('a'), ORIGIN)).release()
    const cache = opened()
    const reading = cache.peekMany(['key'])
    await cache.clear()
    await reading
    expect(await peek(cache, 'key')).toBeUndefined()
  })

  it('when two results are stored under one key at once, the later one remains, with its files', async () => {
    const cache = opened()
    const both = [await outputsOf('a'), await outputsOf('b')]
    const leases = await Promise.all(both.map((outputs) => cache.put('key', outputs, ORIGIN)))
    for (const lease of leases) lease.release()
    expect((await peek(opened(), 'key'))?.out?.summary).toBe('b')
    expect(await cache.state()).toMatchObject({ results: 1, files: 1 })
  })

  it('writes the results of workflows in turn: one with thousands of nodes does not block another', async () => {
    const cache = opened()
    const outputs = await outputsOf('a')
    const order: string[] = []
    const put = (workflow: string, key: string) =>
      cache.put(key, outputs, { ...ORIGIN, workflow }).then(() => order.push(workflow))
    const large = Array.from({ length: 1000 }, (_, i) => put('large', `large ${i}`))
    await Promise.all([...large, put('small', 'small')])
    expect(order.indexOf('small')).toBeLessThan(200)
    expect(await cache.state()).toMatchObject({ results: 1001 })
  })

  it('stores results that arrive one after the other in one transaction', async () => {
    const cache = opened()
    const outputs = await Promise.all(['a', 'b', 'c'].map(outputsOf))
    const transactions = vi.spyOn(repository, 'replace')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const stored: Promise<unknown>[] = []
      for (const [index, each] of outputs.entries()) {
        stored.push(cache.put(`key ${index}`, each, ORIGIN))
        await new Promise((resume) => setImmediate(resume))
      }
      expect(await cache.state()).toMatchObject({ results: 0 })
      vi.advanceTimersByTime(RESULT_COMMIT_MILLISECONDS)
      await Promise.all(stored)
      expect(await cache.state()).toMatchObject({ results: 3 })
      expect(transactions).toHaveBeenCalledTimes(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('lets results expire, but not while a run uses them', async () => {
    const cache = opened()
    const lease = await cache.put('held', await outputsOf('held'), ORIGIN)
    ;(await cache.put('free', await outputsOf('free'), ORIGIN)).release()
    now += 1000
    expect([await peek(cache, 'held'), await peek(cache, 'free')]).toEqual([undefined, undefined])
    await cache.sweep()
    expect(await cache.state()).toMatchObject({ results: 1, files: 1 })
    lease.release()
    await cache.sweep()
    expect(await cache.state()).toEqual({ results: 0, files: 0, size_bytes: 0 })
  })

  it('a failed write leaves no entry and no lease: a full disk delays a later run, but this run keeps its result', async () => {
    const cache = opened()
    await sql`CREATE TRIGGER full BEFORE INSERT ON cached_blobs BEGIN SELECT RAISE(ABORT, 'disk full'); END`.execute(
      database,
    )
    await expect(cache.put('key', await outputsOf('a'), ORIGIN)).rejects.toThrow(/disk full/)
    expect(await peek(cache, 'key')).toBeUndefined()
    expect(cache.heldBlobs().size).toBe(0)
  })

  it.each([
    ['small', 100],
    ['large', 5_000_000],
  ])(
    'a %s file that was changed after its result was stored is a miss, and is written again',
    async (_, length) => {
      const text = 'a'.repeat(length)
      const outputs = await outputsOf(text)
      now = Date.now() + 1
      ;(await opened().put('key', outputs, ORIGIN)).release()
      store = new ArtifactStore(store.folder)
      expect(await peek(opened(), 'key')).toEqual(outputs)

      const [blob] = referencedBlobs(outputs)
      if (!blob) throw new Error('the outputs name a file')
      await new Promise((resume) => setTimeout(resume, 20))
      writeFileSync(store.path(blob), `b${text.slice(1)}`)
      store = new ArtifactStore(store.folder)
      expect(await peek(opened(), 'key')).toBeUndefined()
      expect(warnings).toEqual(['one of its files is missing or damaged'])
      await store.put(text, '.csv')
      expect(readFileSync(store.path(blob), 'utf8')).toBe(text)
    },
  )

  it('a removed file is a miss from then on, even if it was found just before', async () => {
    const cache = opened()
    const outputs = await outputsOf('a')
    ;(await cache.put('key', outputs, ORIGIN)).release()
    expect(await peek(cache, 'key')).toBeDefined()
    for (const blob of referencedBlobs(outputs)) rmSync(store.path(blob))
    expect(await peek(cache, 'key')).toBeUndefined()
  })

  it('a trained model whose checkpoint was deleted is computed again', async () => {
    const cache = opened()
    const model = { content: 'trained_model', checkpoint: 'runs/x/checkpoints/best' }
    await cache.put('key', { out: { type: 'model', digest: 'd', summary: '', content: model } }, ORIGIN)
    expect(await peek(cache, 'key')).toBeUndefined()
    expect(warnings).toEqual(['its checkpoint is missing or damaged'])
  })
})

describe('garbage collection', () => {
  it('removes files without a result, and nothing else', async () => {
    const cache = opened()
    ;(await cache.put('key', await outputsOf('referred'), ORIGIN)).release()
    await store.put('nobody refers to this', '.csv')
    expect(await collect(cache)).toBe(1)
    expect(files()).toHaveLength(1)
    expect(await peek(cache, 'key')).toBeDefined()
  })

  it('keeps files that a run still uses, though its result was cleared', async () => {
    const cache = opened()
    const lease = await cache.put('key', await outputsOf('held'), ORIGIN)
    expect(await cache.clear()).toBe(1)
    expect(await collect(cache)).toBe(0)
    lease.release()
    expect(await collect(cache)).toBe(1)
  })

  it('keeps young files: their result may be about to be stored', async () => {
    const blob = await store.put('young', '.csv')
    utimesSync(store.path(blob), new Date(), new Date())
    expect(
      await collectGarbage({
        folder: store.folder,
        repository,
        held: () => new Set(),
        signal: new AbortController().signal,
      }),
    ).toBe(0)
  })
})
