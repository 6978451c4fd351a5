/** @module-tag service */
import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import Libsql from 'libsql'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { executeStatement } from '../../testing/postgres-server.js'
import {
  createReleasedDatabase,
  RELEASED_DATASET,
  RELEASED_HISTORY,
  RELEASED_MODEL,
  RELEASED_OUTPUTS,
  RELEASED_WORKFLOW,
} from '../../testing/released-database.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { EvaluationsRepository } from '../evaluations/evaluations.repository.js'
import { createIdempotency } from '../http/idempotency/idempotency.js'
import { ModelsRepository, registerModel, type StoredModel } from '../models/models.repository.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { JobListRepository } from '../training/job-list.repository.js'
import { TrainingRepository } from '../training/training.repository.js'
import { RunsRepository } from '../workflows/runs/runs.repository.js'
import { WorkflowsRepository } from '../workflows/workflows.repository.js'
import { type Database, type DatabasePlace, openDatabase } from './database.js'
import { MIGRATIONS } from './migrations/index.js'
import type { Migration } from './migrations/migration.js'

/** The list itself: a test adds a step and removes it again. */
const steps = MIGRATIONS as Migration[]

const file = () => join(mkdtempSync(join(tmpdir(), 'medloom-migrate-')), 'medloom.db')

/** Reads the steps without opening the database like a service, which would apply steps. */
async function readSteps(place: DatabasePlace): Promise<string[]> {
  const statement = 'SELECT name FROM migrations'
  if ('url' in place)
    return (await executeStatement<{ name: string }>(statement, place.url)).map(({ name }) => name)
  const connection = new Libsql(place.file)
  const rows = connection.prepare(statement).all() as { name: string }[]
  connection.close()
  return rows.map(({ name }) => name)
}

describeEachDatabase((databases) => {
  const namesOf = async (database: Database) => {
    const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(database)
    return rows.map(({ name }) => name)
  }

  test('opening again applies each migration once and keeps existing data', async () => {
    const place = await databases.empty()
    for (let i = 0; i < 3; i++) {
      const database = await openDatabase(place)
      expect(await namesOf(database)).toEqual(MIGRATIONS.map(({ name }) => name))
      await database.destroy()
    }
  })

  test('a migration that fails changes nothing', async () => {
    const place = await databases.empty()
    // Its last statement fails because the table already exists.
    const inTheWay = {
      name: '9999-in-the-way',
      statements: () => ['CREATE TABLE half (x INTEGER)', 'CREATE TABLE jobs (x INTEGER)'],
    }
    const database = await openDatabase(place)
    steps.push(inTheWay)
    await expect(openDatabase(place)).rejects.toThrow(/already exists/)
    steps.pop()
    expect(await namesOf(database)).not.toContain(inTheWay.name)
    await expect(sql`SELECT x FROM half`.execute(database)).rejects.toThrow(/half/)
    await database.destroy()
  })

  test('a database changed by a newer version is refused with a remedy, and not changed', async () => {
    const place = await databases.empty()
    const newer = await openDatabase(place)
    await sql`INSERT INTO migrations VALUES ('9999-of-the-future', '2030-01-01T00:00:00.000Z')`.execute(newer)
    await sql`DELETE FROM migrations WHERE name = '0005-job-places'`.execute(newer)
    await newer.destroy()
    await expect(openDatabase(place)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(
        'newer version of Medloom has upgraded the database (step 9999-of-the-future)',
      ),
      remedy: expect.stringContaining('Start that version or a later one'),
    })
    expect(await readSteps(place)).not.toContain('0005-job-places')
  })
})

describe('a data folder of version 0.1.0', () => {
  /** Upgraded once; each test opens a copy. */
  let upgraded: string
  beforeAll(async () => {
    const path = file()
    createReleasedDatabase(path)
    await (await openDatabase(path)).destroy()
    upgraded = file()
    // A plain copy could lack what is still in the write-ahead log.
    const connection = new Libsql(path)
    connection.exec(`VACUUM INTO '${upgraded}'`)
    connection.close()
  })
  const released = async () => {
    const path = file()
    copyFileSync(upgraded, path)
    return openDatabase(path)
  }

  test('is read without changes: jobs and their messages', async () => {
    const database = await released()
    const repository = new TrainingRepository(database, new StoredPaths([]))
    expect(await repository.find('job-1')).toMatchObject({
      number: 1,
      job_name: 'name 1',
      status: 'completed',
      config: { data: { train_csv: '/data/train.csv' }, training: { epochs: 3 } },
      prepared: { device: 'cpu' },
      metrics: { val_auc: 0.8 },
      eta_seconds: 1.5,
      events_offset: 5_000_000_000,
    })
    expect((await repository.find('job-1'))?.handle).toBeNull()
    expect((await repository.find('job-4'))?.handle).toEqual({
      launcher: 'local',
      pid: 7,
      start: '8',
      boot: '9',
    })
    const messages = await repository.messages('job-1', { since: 0, limit: 10 })
    expect(messages.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'progress'],
      [2, 'completed'],
    ])
    await database.destroy()
  })

  test('lists its jobs: without labels, with their settings, sorted by their best metrics', async () => {
    const path = file()
    createReleasedDatabase(path)
    const before = new Libsql(path)
    const best = JSON.stringify({ epoch: 2, metrics: { val_auc: 0.8, val_mae: null } })
    before.prepare("UPDATE jobs SET best = ? WHERE job_id = 'job-1'").run(best)
    before.close()
    const database = await openDatabase(path)
    const lists = new JobListRepository(database, new StoredPaths([]))
    const order = { order_by: 'metrics.val_auc', order: 'desc' } as const
    expect(await lists.places({ archived: 'false' }, order, 2)).toEqual([
      { number: 1, key: 0.8 },
      { number: 4, key: null },
    ])
    expect(await lists.summaries([4, 1])).toMatchObject([
      { job_id: 'job-4', tags: [], pinned: false },
      { job_id: 'job-1', has_note: false, settings: { train_csv: '/data/train.csv', seed: null } },
    ])
    await database.destroy()
  })

  test('is read without changes: models, their aliases and evaluations; numbering continues', async () => {
    const database = await released()
    const repository = new ModelsRepository(database)
    const { items } = await repository.list(10, undefined)
    expect(items.map(({ model_id, aliases, evaluations }) => [model_id, aliases, evaluations])).toEqual([
      [
        'vit_base_patch16_224_cross_attention_007',
        ['latest', 'vit_base_patch16_224_cross_attention_latest'],
        0,
      ],
      ['resnet18_gated_012', ['resnet18_gated_latest'], 1],
      ['resnet18_gated_001', [], 0],
    ])
    expect(items[1]).toMatchObject({ ...RELEASED_MODEL, job_id: 'job-2', fine_tuned_from: null })
    const next = (kind: object) =>
      database.transaction().execute((transaction) =>
        registerModel(transaction, {
          ...RELEASED_MODEL,
          job_id: 'job-4',
          fine_tuned_from: null,
          ...kind,
        } as StoredModel),
      )
    expect(await next({})).toBe('resnet18_gated_013')
    await database.deleteFrom('models').where('job_id', '=', 'job-4').execute()
    const vit = { architecture: 'vit_base_patch16_224', fusion_type: 'cross_attention' }
    expect(await next(vit)).toBe('vit_base_patch16_224_cross_attention_008')
    await database.deleteFrom('models').where('job_id', '=', 'job-4').execute()
    expect(await next({ fusion_type: 'attention' })).toBe('resnet18_attention_001')
    await database.destroy()
  })

  test('lists the evaluations in order, and counts the uses of their data', async () => {
    const path = file()
    createReleasedDatabase(path)
    const older = new Libsql(path)
    older.exec(`INSERT INTO evaluations VALUES
      ('newer', 'resnet18_gated_012', 'test', 'digest', '{}', '9'), ('older', 'resnet18_gated_012', 'val', 'digest', '{}', '1')`)
    older.close()
    const database = await openDatabase(path)
    const evaluations = new EvaluationsRepository(database)
    const { items } = await evaluations.list(10, undefined)
    expect(items.map(({ evaluation_id }) => evaluation_id)).toEqual(['newer', 'evaluation-1', 'older'])
    expect((await evaluations.testUses('digest')).evaluations).toBe(2)
    const added = { evaluation_id: 'added', model_id: 'resnet18_gated_012', split: 'test' }
    await new ModelsRepository(database).addEvaluation(added, { digest: 'digest', checkpoint_digest: 'w' })
    expect((await evaluations.list(1, undefined)).items[0]?.evaluation_id).toBe('added')
    expect((await evaluations.testUses('digest')).evaluations).toBe(3)
    await database.destroy()
  })

  test('is read without changes: workflows, their runs and unfinished runs', async () => {
    const database = await released()
    const workflows = new WorkflowsRepository(database)
    expect(await workflows.find('workflow-1')).toEqual({
      workflow_id: 'workflow-1',
      revision: 4,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      workflow: { ...RELEASED_WORKFLOW, version: '1.1', execution_history: RELEASED_HISTORY },
    })
    const { items } = await workflows.list(10, undefined)
    expect(items).toMatchObject([
      { name: 'drawn', tags: ['skin'], num_nodes: 2, last_run: { run_id: 'run-1', status: 'success' } },
    ])
    const run = await new RunsRepository(database).find('run-1', 'workflow-1')
    expect(run?.workflow).toEqual({ ...RELEASED_WORKFLOW, version: '1.1', execution_history: [] })
    const listed = await new RunsRepository(database).list('workflow-1', 10, undefined)
    const counts = { pending: 0, running: 0, success: 1, error: 0, skipped: 0, cached: 1 }
    expect(listed.items).toMatchObject([{ run_id: 'run-1', counts }])
    const all = <Row>(table: string) => sql<Row>`SELECT * FROM ${sql.table(table)}`.execute(database)
    expect((await all('workflow_runs')).rows).toMatchObject([
      { run_id: 'run-1', status: 'success', progress: 1, targets: '["keep"]' },
    ])
    expect((await all('workflow_run_nodes')).rows).toHaveLength(2)
    expect((await all('workflow_made')).rows).toMatchObject([{ node: 'load', key: 'key-of-load' }])
    expect((await all('workflow_jobs')).rows).toMatchObject([{ node: 'train', job_id: 'job-1' }])
    expect((await all('cached_results')).rows).toMatchObject([
      { key: 'key-of-load', outputs: JSON.stringify(RELEASED_OUTPUTS), created_at: 1_795_000_000_000 },
    ])
    expect((await all('cached_blobs')).rows).toMatchObject([{ size_bytes: 6_000_000_000 }])
    expect((await all('file_digests')).rows).toMatchObject([{ path: '/data/train.csv' }])
    await database.destroy()
  })

  //  saved by 0.1.0 ─► one network      saved when ensembles existed ─► what that version did, with the fields that came later
  test('keeps the results of its workflows: the defaults of the version that saved them are written into them', async () => {
    const saved = async (applied: Readonly<Record<string, string>> = {}) => {
      const nodes = [
        { id: 'backbone', type: 'SelectBackbone', config: { model_name: 'none' } },
        { id: 'fusion', type: 'SelectFusion', config: {} },
      ]
      const path = file()
      copyFileSync(upgraded, path)
      const database = await openDatabase(path)
      const step = '0033-workflow-defaults'
      await sql`DELETE FROM migrations WHERE name = ${step}`.execute(database)
      const digest = sql`(SELECT document_digest FROM workflows)`
      await sql`UPDATE workflow_documents SET document = ${JSON.stringify({ ...RELEASED_WORKFLOW, nodes })}
        WHERE digest = ${digest}`.execute(database)
      for (const [name, appliedAt] of Object.entries(applied))
        await sql`UPDATE migrations SET applied_at = ${appliedAt} WHERE name = ${name}`.execute(database)
      await database.destroy()
      const again = await openDatabase(path)
      const found = await new WorkflowsRepository(again).find('workflow-1')
      await again.destroy()
      return found?.workflow.nodes.find(({ id }) => id === 'fusion')?.config
    }
    const before = '2026-11-01T00:00:00.000Z'
    expect(await saved()).toEqual({ members: 1, linear_share: 0, missing_token: 'random' })
    const recent = { '0014-fine-tuning': before, '0016-studies': before }
    expect(await saved(recent)).toEqual({ linear_share: 0 })
    expect(await saved({ ...recent, '0026-people': before })).toEqual({})
  })

  test('stores the document of its runs once, and their executions in a separate table', async () => {
    const path = file()
    createReleasedDatabase(path)
    const old = new Libsql(path)
    const history = Array.from({ length: 120 }, (_, i) => ({ ...RELEASED_HISTORY[0], duration: i }))
    old.prepare('UPDATE workflows SET execution_history = ?').run(JSON.stringify(history))
    const { nodes, ...edited } = RELEASED_WORKFLOW
    const insert = old.prepare(`INSERT INTO workflow_runs
      (run_id, workflow_id, revision, status, progress, document, force, attempt, created_at, ended_at)
      VALUES (?, 'workflow-1', ?, 'success', 1, ?, '[]', 1, '', '')`)
    for (let i = 0; i < 120; i++) {
      const document = i < 40 ? { ...edited, nodes: [] } : { ...edited, nodes }
      insert.run(`old-${i}`, i, JSON.stringify({ ...document, execution_history: history.slice(0, i) }))
    }
    old.close()

    const database = await openDatabase(path)
    const runs = new RunsRepository(database)
    expect((await runs.find('old-3', 'workflow-1'))?.workflow.nodes).toEqual([])
    expect((await runs.find('old-119', 'workflow-1'))?.workflow.nodes).toEqual(nodes)
    const documents = await database.selectFrom('workflow_documents').select('document').execute()
    // The saved one, the one of that release's run with its keys in this order, and the one without nodes.
    expect(documents).toHaveLength(3)
    for (const { document } of documents) expect(document).not.toContain('execution_history')
    expect(await database.selectFrom('workflow_executions').select('number').execute()).toHaveLength(120)
    const found = await new WorkflowsRepository(database).find('workflow-1')
    expect(found?.workflow.execution_history).toEqual(history.slice(-100))
    await database.destroy()
  })

  test('is read without changes: datasets and stored responses', async () => {
    const database = await released()
    expect(await new DatasetsRepository(database).find('dataset-1')).toEqual({
      ...RELEASED_DATASET,
      owner: null,
    })
    const answer = await createIdempotency(database).once(
      { route: 'startTraining', key: 'key-1', user: null },
      {},
      async () => {
        throw new Error('the work is not done again')
      },
    )
    expect(answer).toEqual({ job_id: 'job-1' })
    await database.destroy()
  })
})

test('the first steps create exactly the tables of version 0.1.0', async () => {
  const tablesOf = (path: string) => {
    const connection = new Libsql(path)
    const rows = connection.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all() as {
      name: string
      sql: string | null
    }[]
    connection.close()
    return rows.map((row) => ({ ...row, sql: row.sql?.replaceAll(/\s+/g, ' ') }))
  }
  const [old, fresh] = [file(), file()]
  createReleasedDatabase(old)
  await (await openDatabase(old)).destroy()
  await (await openDatabase(fresh)).destroy()
  expect(tablesOf(old)).toEqual(tablesOf(fresh))
})
