/** @module-tag service */
import { LISTED_TASK_FIELD } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { TasksRepository } from './tasks.repository.js'

describeEachDatabase((databases) => {
  it('the list of tasks leaves out long fields of requests; a single task has them', async () => {
    const database = await databases.open()
    const tasks = new TasksRepository(database)
    const task = { route: 'predictCases', owner: null, created_at: '' }
    const short = { model_id: 'm', note: 'x'.repeat(LISTED_TASK_FIELD - 100) }
    const long = { model_id: 'm', rows: Array(10_000).fill({ age: 40 }), fields: short.note }
    await tasks.insert({ task_id: 'short', request: short, ...task })
    await tasks.insert({ task_id: 'long', request: long, ...task })
    const { items } = await tasks.list(1000, undefined)
    expect(items.map(({ request }) => request)).toEqual([{ model_id: 'm', fields: short.note }, short])
    expect((await tasks.find('long'))?.request).toEqual(long)
    await database.destroy()
  })
})
