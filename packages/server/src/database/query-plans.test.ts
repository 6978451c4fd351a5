import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { draw } from '../../testing/draw.js'
import { ANYONE } from '../../testing/people.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { EvaluationsRepository } from '../evaluations/evaluations.repository.js'
import { FollowUpsRepository } from '../follow-ups/follow-ups.repository.js'
import { IdempotencyRepository } from '../http/idempotency/idempotency.repository.js'
import { ModelsRepository, registerModel, type StoredModel } from '../models/models.repository.js'
import { PredictionsRepository } from '../predictions/predictions.repository.js'
import { StudiesRepository } from '../studies/studies.repository.js'
import { TasksRepository } from '../tasks/tasks.repository.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { JobListRepository } from '../training/job-list.repository.js'
import { TrainingRepository } from '../training/training.repository.js'
import { CacheRepository } from '../workflows/cache/cache.repository.js'
import { DeletionsRepository } from '../workflows/deletion/deletions.repository.js'
import { RunsRepository } from '../workflows/runs/runs.repository.js'
import { WorkflowsRepository } from '../workflows/workflows.repository.js'

import { type Database, openDatabase } from './database.js'
import { ConnectionThread } from './sqlite/connection-thread.js'

let database: Database
beforeAll(async () => {
  database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'medloom-plans-')), 'medloom.db'))
  await database.transaction().execute(addRun)
})
afterAll(() => database.destroy())

const jobs = () => new TrainingRepository(database, new StoredPaths([]))
const lists = () => new JobListRepository(database, new StoredPaths([]))
const SHOWN = { archived: 'false' } as const
const NEWEST = { order_by: 'created_at', order: 'desc' } as const
const studies = () => new StudiesRepository(database, new StoredPaths([]))
const models = () => new ModelsRepository(database)
const evaluations = () => new EvaluationsRepository(database)
const predictions = () => new PredictionsRepository(database)
const followUps = () => new FollowUpsRepository(database)
const tasks = () => new TasksRepository(database)
const datasets = () => new DatasetsRepository(database)
const cached = () => new CacheRepository(database)
const model = {
  architecture: 'resnet18',
  fusion_type: 'gated',
  job_id: 'none',
  created_at: '',
} as StoredModel
const transaction = (work: Parameters<ReturnType<typeof jobs>['transaction']>[0]) => jobs().transaction(work)

test.each<[string, () => Promise<unknown>]>([
  ['the jobs, page by page', () => lists().places(SHOWN, NEWEST, 50, { key: 1000, number: 1000 })],
  ['the jobs of a status', () => lists().places({ ...SHOWN, status: ['failed'] }, NEWEST, 50)],
  ['the jobs of a page', () => lists().summaries([7, 8])],
  ['a job with its place in the queue', () => jobs().findCommitted('a')],
  ['the ended jobs that were not finished', () => jobs().withLooseEnds()],
  ['the jobs that have a trainer', () => jobs().submitted()],
  ['whether the queue is full', () => jobs().isQueueFull(1000)],
  ['the jobs that wait', () => jobs().neverSubmitted().next()],
  ['the predictions, page by page', () => predictions().list(50, undefined, undefined)],
  ['the predictions of a model', () => predictions().list(50, undefined, 'a')],
  ['the follow-ups, page by page', () => followUps().list(50, undefined, undefined)],
  ['the open follow-ups of a model', () => followUps().open('a')],
  ['the newest test of a model', () => models().newestTest('a', 'w')],
  ['the studies, page by page', () => studies().list(50, undefined)],
  ['the studies of a status', () => studies().list(50, undefined, { status: 'failed' })],
  ['the studies that are not ended', () => studies().running()],
  ['the trainings of a study', () => studies().trainings.list('s')],
  ['the jobs of a study', () => studies().trainings.attempts('s')],
  ['the trainings of studies by state', () => studies().trainings.counts(['s', 't'])],
  ['the newest evaluation of a model', () => models().newestEvaluation('m', 'test')],
  ['the evaluations, page by page', () => evaluations().list(50, undefined)],
  ['the evaluations of a model', () => evaluations().list(50, undefined, 'm')],
  ['the uses of test data', () => evaluations().testUses('a')],
  ['the models of a comparison', () => evaluations().modelsOfComparison('c')],
  ['the models, page by page', () => models().list(50, undefined)],
  ['a model by its id', () => models().find('resnet18_gated_001')],
  ['the newest model', () => models().find('latest')],
  ['the newest model of a kind', () => models().find('resnet18_cross_attention_latest')],
  [
    'the registration of a model',
    () =>
      transaction((connection) => registerModel(connection, model)).catch((error) =>
        expect(error.kind).toBe('constraint'),
      ),
  ],
  ['the tasks, page by page', () => tasks().list(50, undefined)],
  ['the tasks that have not ended', () => tasks().running()],
  ['the datasets, page by page', () => datasets().list(50, undefined)],
  ['what the dataset of a table says', () => datasets().textsOf('/a/train.csv')],
  [
    'the registration of a dataset',
    () =>
      datasets().save(
        { path: '/a' } as never,
        {},
        {
          image_root: null,
          roles: {},
          ignore_columns: [],
          positive_class_named: false,
          slices: null,
        },
        ANYONE,
      ),
  ],
  ['the workflows, page by page', () => new WorkflowsRepository(database).list(50, undefined)],
  ['the runs of a workflow', () => new RunsRepository(database).list('w', 50, undefined)],
  ['the runs that are not ended', () => new RunsRepository(database).unfinished()],
  ['the deleted workflows', () => new DeletionsRepository(database).marked()],
  ['the results that have expired', () => cached().keptBefore(1)],
  ['the files that results refer to', () => cached().filesStartingWith('ab')],
  [
    'the answers that are forgotten',
    () => transaction((connection) => new IdempotencyRepository(database).removeBefore('2026', connection)),
  ],
  ['old records of predictions', () => predictions().removeRecordsBefore('2026')],
  ['old files of predictions', () => predictions().removeFilesBefore('2026')],
])('%s: found without reading everything', async (_, run) => {
  const spy = vi.spyOn(ConnectionThread.prototype, 'statement')
  await run()
  const calls = spy.mock.calls.filter(([statement]) => /^(select|delete|update)/.test(statement))
  spy.mockRestore()
  for (const [statement, parameters] of calls) {
    const details = await planOf(statement, parameters)
    // A page continues from its start; its scan ends with the page.
    const bounded = / limit /.test(statement)
    for (const detail of details) {
      if (bounded) expect(detail, statement).not.toContain('USE TEMP B-TREE FOR ORDER BY')
      else expect(detail, statement).not.toMatch(/^SCAN (?!.* USING INDEX \w+(_open|_loose_ends|_deleted))/)
    }
  }
})

test.each<[string, Parameters<JobListRepository['count']>[0], string]>([
  ['by name', SHOWN, 'name'],
  ['by status, of several', { ...SHOWN, status: ['failed', 'stopped'] }, 'status'],
  ['by duration, archived or not', { archived: 'all' }, 'duration'],
  ['by a metric, of a search', { ...SHOWN, q: 'skin lesions', tags: ['baseline'] }, 'metrics.val_auc'],
  ['of a study, pinned', { ...SHOWN, pinned: 'true', study_id: randomUUID() }, 'created_at'],
])('jobs %s: matched and sorted in an index that has every column of it', async (_, filter, order_by) => {
  const spy = vi.spyOn(ConnectionThread.prototype, 'statement')
  await lists().places(filter, { order_by, order: 'asc' }, 50)
  await lists().count(filter)
  const calls = [...spy.mock.calls]
  spy.mockRestore()
  for (const [statement, parameters] of calls) {
    const details = await planOf(statement, parameters)
    const reads = details.filter((detail) => /^(SCAN|SEARCH) /.test(detail))
    expect(reads.length).toBeGreaterThan(0)
    for (const detail of reads) expect(detail, statement).toMatch(/INDEX jobs_listed|USING PRIMARY KEY/)
  }
})

test.each<[string, string, () => Promise<{ items: unknown[] }>]>([
  ['runs', 'workflow_runs', () => new RunsRepository(database).list('drawn', 50, undefined)],
  ['workflows', 'workflows', () => new WorkflowsRepository(database).list(50, undefined)],
])('a page of %s reads rows of %s: nothing is counted for its lines', async (_, table, run) => {
  const spy = vi.spyOn(ConnectionThread.prototype, 'statement')
  const { items } = await run()
  const tables = spy.mock.calls.flatMap(([statement]) => [...statement.matchAll(/(?:from|join) "(\w+)"/g)])
  spy.mockRestore()
  expect(items).not.toEqual([])
  expect(tables.map(([, name]) => name)).toContain(table)
  expect(tables.map(([, name]) => name)).not.toContain('workflow_run_nodes')
  expect(spy.mock.calls.every(([statement]) => !/group by|count\(/.test(statement))).toBe(true)
})

async function addRun(transaction: Parameters<RunsRepository['insert']>[1]): Promise<void> {
  const workflow = draw({ fusion: ['SelectFusion'] })
  const workflow_id = 'drawn'
  const stored = await new WorkflowsRepository(database).insert(workflow_id, workflow, transaction)
  const run = {
    ...stored,
    run_id: 'run',
    targets: null,
    force: [],
    from_run: null,
    attempt: 1,
    created_at: '',
  }
  await new RunsRepository(database).insert(run, transaction)
}

/** Uses the connection that never commits: an explained write is in progress until its statement is collected, and prevents a commit. */
async function planOf(statement: string, parameters: readonly unknown[]): Promise<string[]> {
  const { rows } = await sql
    .raw<{ detail: string }>(`EXPLAIN QUERY PLAN ${withValues(statement, parameters)}`)
    .execute(database.reading)
  return rows.map(({ detail }) => detail)
}

function withValues(statement: string, parameters: readonly unknown[]): string {
  let next = 0
  return statement.replaceAll('?', () => `'${parameters[next++]}'`)
}
