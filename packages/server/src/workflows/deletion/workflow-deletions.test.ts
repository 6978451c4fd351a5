/** @module-tag service */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeState } from '@medloom/contracts'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deletionsOf, projectFolder } from '../../../testing/deletions.js'
import { draw } from '../../../testing/draw.js'
import { migratedFile } from '../../../testing/migrated-file.js'
import { batches } from '../../database/batches.js'
import { type Database, openDatabase } from '../../database/database.js'
import { removeDurably } from '../../storage/files.js'
import { CacheRepository } from '../cache/cache.repository.js'
import { RunsRepository } from '../runs/runs.repository.js'
import { WorkflowsRepository } from '../workflows.repository.js'

const ALL_TABLES = [
  'workflows',
  'workflow_documents',
  'workflow_executions',
  'workflow_runs',
  'workflow_run_nodes',
  'workflow_made',
  'workflow_jobs',
  'cached_results',
  'cached_blobs',
] as const

let folder: string
let database: Database
const databaseFile = () => join(folder, 'medloom.db')
const open = async () => {
  database = await openDatabase(await migratedFile(databaseFile()), { onLost: () => undefined })
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-deletion-'))
  await open()
})
afterEach(() => database.destroy())

const project = (workflowId: string) => projectFolder(folder, workflowId)
const opened = (options: Parameters<typeof deletionsOf>[2] = {}) => deletionsOf(database, folder, options)
const rows = async () =>
  Object.fromEntries(
    await Promise.all(
      ALL_TABLES.map(async (table) => {
        const { rows } = await sql<{
          count: number
        }>`SELECT count(*) AS count FROM ${sql.table(table)}`.execute(database)
        return [table, rows[0]?.count]
      }),
    ),
  )

/** A workflow with runs of one node each, executions, latest results, cached results and a project folder. */
async function create(id: string, { runs = 3, results = 3 } = {}): Promise<void> {
  mkdirSync(project(id), { recursive: true })
  writeFileSync(join(project(id), 'workflow.json'), '{}')
  const workflows = new WorkflowsRepository(database)
  const history = Array.from({ length: runs }, () => ({
    timestamp: '',
    status: 'success',
    duration: 1,
    metrics: {},
  }))
  await database.withoutWaiting(async (transaction) => {
    const document = { ...draw({ fusion: ['SelectFusion'] }, [], id), execution_history: history }
    const { digest } = await workflows.insert(id, document, transaction)
    const run = {
      workflow_id: id,
      revision: 1,
      document_digest: digest,
      status: 'success',
      progress: 1,
      force: '[]',
      attempt: 1,
      created_at: '',
      ended_at: '',
    }
    const runIds = Array.from({ length: runs }, (_, i) => `${id}-${i}`)
    const state = { status: 'success' } as NodeState
    for await (const some of batches(runIds)) {
      await transaction
        .insertInto('workflow_runs')
        .values(some.map((run_id) => ({ ...run, run_id })))
        .execute()
      const nodes = some.map((run_id) => ({
        run_id,
        node: 'fusion',
        status: 'success',
        state: JSON.stringify(state),
      }))
      await transaction.insertInto('workflow_run_nodes').values(nodes).execute()
    }
    const made = Array.from({ length: results }, (_, i) => ({
      node: `n${i}`,
      key: `${id} ${i}`,
      parts: {} as never,
      seconds: null,
    }))
    await new RunsRepository(database).saveMade(id, made, transaction)
  })
  const cached = Array.from({ length: results }, (_, i) => ({
    key: `${id} ${i}`,
    outputs: '{}',
    created_at: 1,
    origin: { workflow: id, node: `n${i}`, type: 'SelectFusion' },
    blobs: [{ sha256: `${i}`.padStart(64, '0'), suffix: '.csv', size_bytes: 1 }],
  }))
  await new CacheRepository(database).replace(cached)
}

/**
 * The number of intermediate states that other connections see while `work` removes the rows of a table: the number of times that they are
 * executed in between.
 */
async function statesSeen(
  table: 'workflow_runs' | 'cached_results',
  work: Promise<unknown>,
): Promise<number> {
  let going = true
  const seen = new Set<number>()
  void work.finally(() => {
    going = false
  })
  while (going) {
    const { count } = await database
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    seen.add(count)
  }
  return seen.size
}

/** Removes a workflow in a separate process, which kills itself when this many of its runs are left. @returns how it ended. */
async function killedWhileRemoving(workflowId: string, runsLeft: number): Promise<string | null> {
  const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const program = `
    import { openDatabase } from ${source('../../database/database.ts')}
    import { deletionsOf } from ${source('../../../testing/deletions.ts')}
    const database = await openDatabase(${JSON.stringify(databaseFile())})
    const count = () => database.selectFrom('workflow_runs')
      .select((of) => of.fn.countAll().as('count')).executeTakeFirstOrThrow()
    void deletionsOf(database, ${JSON.stringify(folder)}).remove(${JSON.stringify(workflowId)})
    while ((await count()).count > ${runsLeft});
    process.kill(process.pid, 'SIGKILL')
  `
  const child = spawn(
    process.execPath,
    ['--conditions=medloom-source', '--import', 'tsx', '--input-type=module', '-e', program],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [, signal] = await once(child, 'close')
  return signal
}

it('a workflow with thousands of runs is deleted while other requests are answered; nothing of it remains', async () => {
  await create('other')
  const before = await rows()
  await create('large', { runs: 5000 })
  const deletions = opened()
  await deletions.mark('large')
  expect(await new WorkflowsRepository(database).find('large')).toBeUndefined()
  expect(await statesSeen('workflow_runs', deletions.remove('large'))).toBeGreaterThan(10)
  expect(await rows()).toEqual(before)
  expect([existsSync(project('large')), existsSync(project('other'))]).toEqual([false, true])
  await expect(deletions.mark('large')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' })
})

it('clearing the cache of 3,000 results does not block other requests', async () => {
  await create('large', { results: 3000 })
  const cleared: string[] = []
  const clear = async () => {
    for await (const keys of new CacheRepository(database).clear({ workflow: 'large' })) cleared.push(...keys)
  }
  expect(await statesSeen('cached_results', clear())).toBeGreaterThan(7)
  expect(new Set(cleared).size).toBe(3000)
})

it('a deletion during which the service is killed stays valid, and the next service completes it', async () => {
  await create('other')
  const before = await rows()
  await create('large', { runs: 2000 })
  await opened().mark('large')
  await database.destroy()
  expect(await killedWhileRemoving('large', 1500)).toBe('SIGKILL')

  await open()
  const remaining = Number((await rows()).workflow_runs)
  expect(remaining).toBeGreaterThan(Number(before.workflow_runs))
  expect(remaining).toBeLessThan(2000)
  expect((await sql`PRAGMA foreign_key_check`.execute(database)).rows).toEqual([])
  expect((await new WorkflowsRepository(database).list(10, undefined)).items).toHaveLength(1)
  await opened().resume()
  expect(await rows()).toEqual(before)
  expect([existsSync(project('large')), existsSync(project('other'))]).toEqual([false, true])
})

it('a folder that cannot be removed is removed later; the deletion stays valid', async () => {
  await create('first')
  let failures = 3
  const deletions = opened({
    retryMilliseconds: 5,
    removeFolder: async (id) => {
      if (failures-- > 0) throw Object.assign(new Error('EIO: i/o error, rmdir'), { code: 'EIO' })
      await removeDurably(project(id))
    },
  })
  await deletions.mark('first')
  await deletions.remove('first')
  expect(await new WorkflowsRepository(database).has('first')).toBe(false)
  expect(existsSync(project('first'))).toBe(true)
  await expect.poll(() => existsSync(project('first'))).toBe(false)
  await expect.poll(async () => (await rows()).workflows).toBe(0)
  await deletions.close()
})
