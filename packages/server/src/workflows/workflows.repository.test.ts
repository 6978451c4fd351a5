/** @module-tag service */
import { MAX_REVISIONS } from '@medloom/contracts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { draw } from '../../testing/draw.js'
import type { Database } from '../database/database.js'
import { DeletionsRepository } from './deletion/deletions.repository.js'
import { RunsRepository } from './runs/runs.repository.js'
import { type StoredWorkflow, WorkflowsRepository } from './workflows.repository.js'

describeEachDatabase((databases) => {
  let database: Database
  let workflows: WorkflowsRepository
  let runs: RunsRepository
  beforeEach(async () => {
    database = await databases.open()
    workflows = new WorkflowsRepository(database)
    runs = new RunsRepository(database)
  })
  afterEach(() => database.destroy())

  const named = (name: string) => draw({ fusion: ['SelectFusion'] }, [], name)
  const executed = (duration: number) => ({
    timestamp: '2026-01-02T03:04:05Z',
    status: 'success',
    duration,
    metrics: {},
  })
  const run = ({ workflow_id, revision, digest, workflow }: StoredWorkflow, run_id: string) =>
    runs.insert(
      {
        run_id,
        workflow_id,
        revision,
        digest,
        workflow,
        targets: null,
        force: [],
        from_run: null,
        attempt: 1,
        created_at: '',
      },
      database,
    )
  const documents = async () =>
    (await database.selectFrom('workflow_documents').select('document').execute()).map(
      ({ document }) => JSON.parse(document).metadata.name,
    )

  it('the document of a workflow is stored once, for all workflows and runs that use it', async () => {
    const first = await workflows.insert('first', named('same'), database)
    await workflows.insert('second', named('same'), database)
    for (let i = 0; i < 20; i++) {
      await run(first, `run-${i}`)
      await workflows.addExecution('first', executed(i), database)
    }
    expect(await documents()).toEqual(['same'])
    expect((await runs.find('run-7', 'first'))?.workflow).toEqual(named('same'))
  })

  it('a document is removed with the last revision or run that uses it', async () => {
    const first = await workflows.insert('first', named('one'), database)
    await workflows.insert('second', named('one'), database)
    await run(first, 'run')
    await workflows.update('first', named('two'), 1, database)
    await workflows.update('second', named('three'), 1, database)
    expect((await documents()).sort()).toEqual(['one', 'three', 'two'])
    await workflows.update('first', named('four'), 2, database)
    expect((await documents()).sort()).toEqual(['four', 'one', 'three', 'two'])
    const deletions = new DeletionsRepository(database)
    for await (const _ of deletions.removeContents('first'));
    expect((await documents()).sort()).toEqual(['four', 'one', 'three', 'two'])
    await deletions.remove('first')
    expect((await documents()).sort()).toEqual(['one', 'three'])
    await deletions.remove('second')
    expect(await documents()).toEqual([])
  })

  it('a run whose document was removed while it was accepted still has it', async () => {
    const first = await workflows.insert('first', named('one'), database)
    for (let revision = 1; revision <= MAX_REVISIONS; revision++)
      await workflows.update('first', named('two'), revision, database)
    expect(await documents()).toEqual(['two'])
    await run(first, 'run')
    expect((await runs.find('run', 'first'))?.workflow).toEqual(named('one'))
  })

  it('the list shortens what may be long: a page of 1000 workflows has at most some megabytes', async () => {
    const description = 'x'.repeat(100_000)
    const tags = Array.from({ length: 1000 }, (_, index) => `${index} ${'t'.repeat(190)}`)
    const long = { ...named('long'), metadata: { name: 'long', author: '', description, tags } }
    await workflows.insert('first', long, database)
    const { items } = await workflows.list(1000, undefined)
    expect(JSON.stringify(items).length).toBeLessThan(6000)
    expect(items[0]).toMatchObject({ description: description.slice(0, 500), tags: tags.slice(0, 20) })
    expect((await workflows.find('first'))?.workflow.metadata.description).toBe(description)
  })

  it('all executions are stored, and the newest 100 are read', async () => {
    const imported = { ...named('a'), execution_history: Array.from({ length: 450 }, (_, i) => executed(i)) }
    const newest = (stored: StoredWorkflow | undefined) =>
      stored?.workflow.execution_history.map(({ duration }) => duration)
    const expected = Array.from({ length: 100 }, (_, i) => 350 + i)
    expect(newest(await workflows.insert('first', imported, database))).toEqual(expected)
    expect(newest(await workflows.find('first'))).toEqual(expected)
    await workflows.addExecution('first', executed(1000), database)
    expect(newest(await workflows.update('first', named('b'), 1, database))).toEqual([
      ...expected.slice(1),
      1000,
    ])
    expect(await database.selectFrom('workflow_executions').select('number').execute()).toHaveLength(451)
  })
})
