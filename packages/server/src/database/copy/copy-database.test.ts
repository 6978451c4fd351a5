/** @module-tag service */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { describeOnPostgres } from '../../../testing/databases.js'
import { executeStatement } from '../../../testing/postgres-server.js'
import { createReleasedDatabase } from '../../../testing/released-database.js'
import { StoredPaths } from '../../training/configuration/stored-paths.js'
import { TrainingRepository } from '../../training/training.repository.js'
import { WorkflowsRepository } from '../../workflows/workflows.repository.js'
import { type Database, openDatabase } from '../database.js'
import { lockFolder } from '../lock.js'
import { copyDatabase } from './copy-database.js'

describeOnPostgres((databases) => {
  let folder: string
  let url: string
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'medloom-copy-'))
    createReleasedDatabase(join(folder, 'medloom.db'))
    url = ((await databases.place()) as { url: string }).url
  })
  const on = async <Result>(place: string, work: (database: Database) => Promise<Result>) => {
    const database = await openDatabase(
      place.startsWith('postgres') ? { url: place } : join(place, 'medloom.db'),
    )
    return work(database).finally(() => database.destroy())
  }
  const addJob = (job_id: string) => (database: Database) =>
    new TrainingRepository(database, new StoredPaths([])).insert({
      ...{ job_id, job_name: job_id, config: {} as never, total_epochs: 1, epoch: 0 },
      ...{ resumed_from: null, fine_tuned_from: null, created_at: '' },
    })
  const numberOf = (job_id: string) => async (database: Database) =>
    (await new TrainingRepository(database, new StoredPaths([])).find(job_id))?.number

  test('every row of a data folder is copied to the server and back to a folder; numbering continues', async () => {
    await on(folder, async (database) => {
      await addJob('removed')(database)
      await database.deleteFrom('jobs').where('job_id', '=', 'removed').execute()
      await database
        .insertInto('written_files')
        .values({ path: '/outputs/a.csv', sha256: 'd', owner: 'ann' })
        .execute()
      await database
        .insertInto('idempotency')
        .values({
          ...{ route: 'r', key: 'nul', body_digest: '', answer: JSON.stringify('\0'), created_at: 'a\0b' },
        })
        .execute()
    })
    const tables: string[] = []
    const copied = await copyDatabase({ from: folder, to: url, onTable: ({ table }) => tables.push(table) })
    expect(tables).toEqual(copied.map(({ table }) => table))
    const rows = Object.fromEntries(copied.map(({ table, rows }) => [table, rows]))
    expect(rows).toMatchObject({
      jobs: 4,
      models: 3,
      evaluations: 1,
      workflows: 1,
      workflow_run_nodes: 2,
      cached_blobs: 1,
    })
    await on(url, async (database) => {
      const workflow = await new WorkflowsRepository(database).find('workflow-1')
      expect(workflow).toEqual(
        await on(folder, (before) => new WorkflowsRepository(before).find('workflow-1')),
      )
      expect(
        await database.selectFrom('jobs').select('headline').where('job_id', '=', 'job-1').executeTakeFirst(),
      ).toEqual({ headline: expect.stringContaining('/data/train.csv') })
      expect(await database.selectFrom('written_files').select('owner').execute()).toEqual([{ owner: 'ann' }])
      await addJob('next')(database)
      expect(await numberOf('next')(database)).toBe(6)
      await database.deleteFrom('jobs').where('job_id', '=', 'next').execute()
    })
    const back = join(folder, 'back')
    const again = await copyDatabase({ from: url, to: back })
    expect(again).toEqual(copied)
    await on(back, async (database) => {
      await addJob('next')(database)
      expect(await numberOf('next')(database)).toBe(7)
    })
  })

  test('a target with rows, and a side that is in use, are refused; nothing is changed', async () => {
    await on(url, addJob('there'))
    await expect(copyDatabase({ from: folder, to: url })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('jobs has rows'),
    })
    await expect(copyDatabase({ from: url, to: folder })).rejects.toThrow(/already contains a database/)
    const service = await openDatabase({ url })
    await expect(copyDatabase({ from: folder, to: url })).rejects.toThrow(/a service uses the database/)
    await service.destroy()
    const lock = lockFolder(join(folder, 'lock.db'))
    await expect(copyDatabase({ from: folder, to: url })).rejects.toThrow(/a service uses the data folder/)
    lock?.release()
    await expect(copyDatabase({ from: join(folder, 'none'), to: url })).rejects.toThrow(
      /there is no database/,
    )
    await expect(copyDatabase({ from: folder, to: folder })).rejects.toThrow(/one side/)
    expect(await on(url, (database) => database.selectFrom('jobs').select('job_id').execute())).toEqual([
      { job_id: 'there' },
    ])
  })

  test('a copy that fails halfway leaves the target unchanged', async () => {
    await executeStatement('ALTER TABLE job_events ADD CONSTRAINT refusing CHECK (seq < 0)', url)
    await expect(copyDatabase({ from: folder, to: url })).rejects.toMatchObject({ kind: 'constraint' })
    expect(await on(url, (database) => database.selectFrom('jobs').select('job_id').execute())).toEqual([])
    await executeStatement('ALTER TABLE job_events DROP CONSTRAINT refusing', url)
    await copyDatabase({ from: folder, to: url })
    await executeStatement('ALTER TABLE models RENAME COLUMN created_at TO at', url)
    const back = join(folder, 'back')
    await expect(copyDatabase({ from: url, to: back })).rejects.toThrow(/no such column: at/)
    expect(existsSync(join(back, 'medloom.db'))).toBe(false)
    await executeStatement('ALTER TABLE models RENAME COLUMN at TO created_at', url)
    await copyDatabase({ from: url, to: back })
  })
})
