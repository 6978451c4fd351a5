import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import type { Database } from './database.js'
import type { Tables } from './schema.js'

describeEachDatabase((databases) => {
  let database: Database
  beforeEach(async () => {
    database = await databases.open()
  })
  afterEach(() => database.destroy())

  const insert = (connection: Kysely<Tables>, id: string, record = '{}') =>
    connection.insertInto('datasets').values({ dataset_id: id, path: id, record, created_at: '' }).execute()
  const stored = async () =>
    (await database.selectFrom('datasets').select('dataset_id').orderBy('number').execute()).map(
      (row) => row.dataset_id,
    )

  test('statements outside a transaction wait for it', async () => {
    const order: string[] = []
    const note = async (connection: Kysely<Tables>, id: string) => {
      await insert(connection, id)
      order.push(id)
    }
    await Promise.all([
      database.transaction().execute(async (transaction) => {
        await note(transaction, 'a')
        await new Promise((resolve) => setTimeout(resolve, 30))
        await note(transaction, 'b')
      }),
      note(database, 'c'),
    ])
    expect(order).toEqual(['a', 'b', 'c'])
    expect(await stored()).toEqual(order)
  })

  test('requests are executed in order, inside or outside a transaction', async () => {
    const order: string[] = []
    const all = Array.from({ length: 60 }, async (_, i) => {
      const id = String(i).padStart(2, '0')
      if (i % 3 === 0) await insert(database, id)
      else if (i % 3 === 1) await database.transaction().execute((transaction) => insert(transaction, id))
      else await database.withoutWaiting((transaction) => insert(transaction, id))
      order.push(id)
    })
    await Promise.all(all)
    const expected = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'))
    expect(await stored()).toEqual(expected)
    expect(order).toEqual(expected)
  })

  test('a background transaction lets transactions go first that arrive while another one is open', async () => {
    const order: string[] = []
    const writing = (id: string) => async (transaction: Kysely<Tables>) => {
      await insert(transaction, id)
      order.push(id)
    }
    const meanwhile = await database.transaction().execute(async (transaction) => {
      await insert(transaction, 'open')
      const begun = [
        database.inBackground(writing('background 1')),
        database.inSharedBackground(writing('background 2'), { isRelaxed: true }),
        database.transaction().execute(writing('front 1')),
        database.withoutWaiting(writing('front 2')),
      ]
      await new Promise((resolve) => setTimeout(resolve, 30))
      return { begun }
    })
    await Promise.all(meanwhile.begun)
    // A background transaction has its turn after one other has passed it.
    expect(order).toEqual(['front 1', 'background 1', 'front 2', 'background 2'])
  })

  test('a swallowed error still ends its transaction: nothing of it is stored, and nothing after it commits separately', async () => {
    await insert(database, 'there')
    const swallowing = database.transaction().execute(async (transaction) => {
      await insert(transaction, 'before')
      await insert(transaction, 'there').catch(() => undefined)
    })
    await expect(swallowing).rejects.toMatchObject({
      kind: 'constraint',
      message: expect.stringMatching(/rolled back: .*unique/i),
    })
    const goingOn = database.transaction().execute(async (transaction) => {
      await insert(transaction, 'there').catch(() => undefined)
      await insert(transaction, 'after')
    })
    await expect(goingOn).rejects.toThrow(/the transaction has failed: .*unique/i)
    const unsent = database.transaction().execute(async (transaction) => {
      await insert(transaction, 'before')
      await insert(transaction, { text: () => 'none' } as unknown as string).catch(() => undefined)
    })
    await expect(unsent).rejects.toThrow(/rolled back: /)
    await insert(database, 'last')
    expect(await stored()).toEqual(['there', 'last'])
  })

  test('references are enforced', async () => {
    const orphan = database
      .insertInto('models')
      .values({ model_id: 'm', job_id: 'none', record: '{}', created_at: '' })
      .execute()
    await expect(orphan).rejects.toMatchObject({ kind: 'constraint' })
  })

  test('integers, counts, sums and conditions arrive as numbers', async () => {
    const values = [
      { name: 'a', value: 5_000_000_000 },
      { name: 'b', value: 1 },
    ]
    await database.insertInto('counters').values(values).execute()
    const row = await database
      .selectFrom('counters')
      .where('name', 'in', ['a', 'b'])
      .select(({ fn, eb }) => [
        fn.countAll<number>().as('count'),
        fn.sum<number>('value').as('sum'),
        fn.max('value').as('most'),
        eb(fn.countAll(), '>', sql.lit(1)).as('several'),
      ])
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ count: 2, sum: 5_000_000_001, most: 5_000_000_000, several: 1 })
  })

  test('text is ordered by code points, and LIKE ignores the case of A to Z only', async () => {
    for (const name of ['b', 'Ä', 'a', '_', 'B', '~', 'ä', '\u{1f600}', '\uffee'])
      await insert(database, name)
    const order = await database.selectFrom('datasets').select('path').orderBy('path').execute()
    expect(order.map(({ path }) => path).join('')).toBe('B_ab~Ää\uffee\u{1f600}')
    const like = async (pattern: string) =>
      (await database.selectFrom('datasets').select('path').where('path', 'like', pattern).execute()).length
    expect([await like('b'), await like('ä'), await like('%')]).toEqual([2, 1, 9])
  })

  test('a document with characters that text cannot contain is stored unchanged, and derived columns are filled', async () => {
    const record = JSON.stringify({
      architecture: 'a\u0000b\ud800\udc00c',
      fusion_type: 'back\\u0000slash',
      note: ['\u0000', '\ud800', '\udc00', '\udc00\ud800', '\ud83d\ude00'],
    })
    await insertJob(database, record)
    const row = await database
      .selectFrom('models')
      .select(['record', 'architecture', 'fusion_type'])
      .executeTakeFirstOrThrow()
    expect(row.record).toBe(record)
    expect(row.fusion_type).toBe('back\\u0000slash')
    // SQLite keeps U+0000 in a text or ends the text there; PostgreSQL text cannot contain it.
    expect(row.architecture).toMatch(/^a/)
    const other = { pinned: 1, note: 'n\u0000 \ud800' }
    await database.updateTable('jobs').set(other).execute()
    expect(await database.selectFrom('jobs').select('note').executeTakeFirst()).toMatchObject({
      note: expect.stringMatching(/^n/),
    })
  })

  test('the duration of a job is derived from its times, and missing without them', async () => {
    await insertJob(database, '{}')
    const seconds = async (started_at: string | null, ended_at: string | null) => {
      await database.updateTable('jobs').set({ started_at, ended_at }).execute()
      return (await database.selectFrom('jobs').select('duration_seconds').executeTakeFirstOrThrow())
        .duration_seconds
    }
    expect(await seconds('2026-01-02T03:04:05.000Z', '2026-01-02T03:04:06.250Z')).toBe(1.25)
    expect(await seconds('2026-03-28T23:00:00.000Z', '2026-03-30T01:00:00.001Z')).toBe(93_600.001)
    expect(await seconds('2026-01-02T03:04:05.000Z', null)).toBeNull()
    expect(await seconds('', 'soon')).toBeNull()
  })
})

async function insertJob(database: Database, record: string): Promise<void> {
  await database
    .insertInto('jobs')
    .values({
      ...{ job_id: 'job', job_name: 'job', status: 'started', config: record, metrics: '{}', notes: '{}' },
      ...{ epoch: 0, total_epochs: 1, attempt: 0, events_offset: 0, last_seq: 0, created_at: '' },
    })
    .execute()
  await database
    .insertInto('models')
    .values({ model_id: 'm', job_id: 'job', record, created_at: '' })
    .execute()
}
