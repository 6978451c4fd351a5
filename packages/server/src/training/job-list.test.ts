import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobSummary, TrainingConfig } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../database/database.js'
import { ConnectionThread } from '../database/sqlite/connection-thread.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import { StoredPaths } from './configuration/stored-paths.js'
import { JobReader } from './job-reader.js'
import { TrainingRepository } from './training.repository.js'

let database: Database
let repository: TrainingRepository
/** The files of a run: a list that looks at one of them fails. */
const exchange = (() => ({
  localPath: () => '/run',
  hasCheckpoint: () => {
    throw new Error('a list looks at no file')
  },
})) as unknown as RunExchanges

beforeEach(async () => {
  database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'medloom-list-')), 'medloom.db'))
  repository = new TrainingRepository(database, new StoredPaths([]))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await database.destroy()
})

async function insert(name: string, status: string): Promise<string> {
  const job_id = randomUUID()
  const config = TrainingConfig.parse({
    data: { train_csv: '/train.csv' },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
    training: { epochs: 2, batch_size: 4 },
  })
  const created_at = '2026-01-02T03:04:05.000Z'
  const job = {
    job_id,
    job_name: name,
    config,
    epoch: 0,
    total_epochs: 2,
    resumed_from: null,
    fine_tuned_from: null,
    created_at,
  }
  await repository.insert(job)
  await database.updateTable('jobs').set({ status }).where('job_id', '=', job_id).execute()
  return job_id
}

test('a page of jobs reads no configuration, no file, and the queue once', async () => {
  for (const [name, status] of [
    ['a', 'started'],
    ['b', 'stopped'],
    ['c', 'started'],
    ['d', 'running'],
    ['e', 'started'],
  ] as const)
    await insert(name, status)
  const ingest = { unstoredFailure: () => undefined }
  const reader = new JobReader({ repository, exchange, ingest, pause: () => null, metrics: {} as never })
  const statements = vi.spyOn(ConnectionThread.prototype, 'statement')
  const { jobs, next_page_token } = await reader.list(4, undefined)
  expect(jobs.map(({ job_name, queue_position }) => [job_name, queue_position])).toEqual([
    ['e', 3],
    ['d', null],
    ['c', 2],
    ['b', null],
  ])
  expect(statements.mock.calls.map(([sql]) => /"config"|select \*/.test(sql))).toEqual([false, false])
  for (const job of jobs) expect(JobSummary.parse(job)).toEqual(job)
  const rest = await reader.list(4, next_page_token ?? '')
  expect(rest.jobs.map(({ job_name, queue_position }) => [job_name, queue_position])).toEqual([['a', 1]])
  const waiting = await reader.list(2, undefined, 'started')
  expect(waiting.jobs.map(({ queue_position }) => queue_position)).toEqual([3, 2])
})
