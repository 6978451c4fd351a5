/** @module-tag service */
import type { AliasMove, Model } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { insertJob, modelOf } from '../../testing/models.js'
import { AliasesRepository } from './aliases.repository.js'
import { ModelsRepository, registerModel } from './models.repository.js'

const move = (alias: string, model_id: string | null, changes: Partial<AliasMove> = {}) => ({
  ...{ alias, model_id, weights_digest: 'd', evaluation_id: null, note: null, set_by: 'ann' },
  ...changes,
})

describeEachDatabase((databases) => {
  const prepared = async () => {
    const database = await databases.open()
    const models: string[] = []
    for (const kind of [{}, { fusion_type: 'bilinear' }]) {
      const model = modelOf(await insertJob(database), kind)
      models.push(await database.transaction().execute((transaction) => registerModel(transaction, model)))
    }
    return { database, aliases: new AliasesRepository(database), models }
  }

  test('an alias moves, and its history says what it named at any time, by whom and on which evaluation', async () => {
    const { database, aliases, models } = await prepared()
    const [first = '', second = ''] = models
    const before = new Date(Date.now() - 1000).toISOString()
    const one = await aliases.append(move('champion', first, { evaluation_id: 'e1' }))
    while (new Date().toISOString() === one.set_at) await new Promise((done) => setImmediate(done))
    const two = await aliases.append(move('champion', second, { set_by: 'bob', note: 'better' }))
    expect(await aliases.find('champion')).toEqual({ ...two, until: null })
    expect(await aliases.find('champion', one.set_at)).toEqual({ ...one, until: two.set_at })
    expect(await aliases.find('champion', before)).toBeUndefined()
    expect(one).toMatchObject({ number: 1, model_id: first, evaluation_id: 'e1', set_by: 'ann' })
    const { items } = await aliases.history('champion', 10, undefined)
    expect(items.map(({ number, model_id }) => [number, model_id])).toEqual([
      [2, second],
      [1, first],
    ])
    expect(await aliases.owner('champion')).toBe('ann')
    expect(await aliases.owner('unknown')).toBeUndefined()
    await database.destroy()
  })

  test('a model is found by its alias and lists it; the same decision is stored once', async () => {
    const { database, aliases, models } = await prepared()
    const [first = ''] = models
    await aliases.append(move('champion', first))
    await aliases.append(move('champion', first))
    await aliases.append(move('screening-2026', first))
    const repository = new ModelsRepository(database)
    expect((await repository.find('champion'))?.model_id).toBe(first)
    const aliasesOf = ({ aliases }: Model) => aliases.filter((name) => !name.endsWith('latest'))
    const named = ['champion', 'screening-2026']
    expect(aliasesOf((await repository.find(first)) as Model)).toEqual(named)
    expect((await repository.list(10, undefined)).items.map(aliasesOf)).toEqual([[], named])
    expect((await aliases.history('champion', 10, undefined)).items).toHaveLength(1)
    await database.destroy()
  })

  test('moves by several processes at once are in one order', async () => {
    const { database, aliases, models } = await prepared()
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        aliases.append(move('champion', models[index % 2] ?? '', { note: String(index) })),
      ),
    )
    const { items } = await aliases.history('champion', 10, undefined)
    expect(items.map(({ number }) => number)).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    expect(items.map(({ set_at }) => set_at)).toEqual(
      items
        .map(({ set_at }) => set_at)
        .sort()
        .reverse(),
    )
    await database.destroy()
  })

  test('the removal of a model ends its aliases, and their history remains', async () => {
    const { database, aliases, models } = await prepared()
    const [first = ''] = models
    await aliases.append(move('champion', first))
    const repository = new ModelsRepository(database)
    await database.transaction().execute((transaction) => repository.remove(first, transaction))
    expect(await repository.find('champion')).toBeUndefined()
    expect(await aliases.list()).toEqual([])
    const { items } = await aliases.history('champion', 10, undefined)
    expect(items.map(({ model_id, note }) => [model_id, note])).toEqual([
      [null, 'model removed'],
      [first, null],
    ])
    await database.destroy()
  })
})
