/** @module-tag service */
import { type Kysely, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { describeOnPostgres } from '../../../testing/databases.js'
import { createDatabase, executeStatement } from '../../../testing/postgres-server.js'
import { type Database, type DatabasePlace, openDatabase, untilDatabaseAnswers } from '../database.js'
import { MIGRATIONS } from '../migrations/index.js'
import type { Tables } from '../schema.js'
import { errorOf } from './server-error.js'

describeOnPostgres((databases) => {
  const insert = (connection: Kysely<Tables>, id: string) =>
    connection
      .insertInto('datasets')
      .values({ dataset_id: id, path: id, record: '{}', created_at: '' })
      .execute()
  const stored = async (database: Database) =>
    (await database.selectFrom('datasets').select('dataset_id').orderBy('number').execute()).map(
      (row) => row.dataset_id,
    )
  const urlOf = (place: DatabasePlace) => (place as { url: string }).url
  /** End the sessions of a database as its administrator does. */
  const terminate = (url: string, name = 'medloom-all') =>
    executeStatement(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${new URL(url).pathname.slice(1)}' AND application_name = '${name}'`)

  test('processes that start at the same time on an empty database create its tables once', async () => {
    const place = await databases.empty()
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase(place)))
    const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(
      all[0] as Database,
    )
    expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name))
    for (const database of all) await database.destroy()
  })

  test('all text compares by code points, whatever the language of the database', async () => {
    const other = await executeStatement<{ column: string }>(
      `SELECT table_name || '.' || column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
      urlOf(await databases.place()),
    )
    expect(other).toEqual([])
  })

  test('a schema of the search path has the tables', async () => {
    const url = urlOf(await databases.empty())
    await executeStatement('CREATE SCHEMA own', url)
    const database = await openDatabase({ url: `${url}?options=-csearch_path%3Down` })
    await insert(database, 'a')
    expect(await executeStatement('SELECT dataset_id FROM own.datasets', url)).toHaveLength(1)
    await database.destroy()
    await expect(openDatabase({ url: `${url}?options=-csearch_path%3Dnone` })).rejects.toMatchObject({
      message: expect.stringContaining('none of the schemas in the search path exists'),
      remedy: expect.stringContaining('search_path'),
    })
  })

  test('only commits of data that can be recomputed do not wait for the disk', async () => {
    const database = await databases.open()
    const setting = async (connection: Kysely<Tables>) => {
      const { rows } = await sql<{ synchronous_commit: string }>`SHOW synchronous_commit`.execute(connection)
      return rows[0]?.synchronous_commit
    }
    expect(await database.withoutWaiting(setting)).toBe('off')
    expect(await database.transaction().execute(setting)).toBe('on')
    expect(await setting(database)).toBe('on')
    await database.destroy()
  })

  test('a server that would lose acknowledged changes is refused, with a remedy', async () => {
    const url = await createDatabase()
    const lax = `${url}?options=-csynchronous_commit%3Doff`
    await expect(openDatabase({ url: lax })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('synchronous_commit is off'),
      remedy: expect.stringContaining('ALTER DATABASE'),
    })
    await executeStatement(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`)
    await expect(openDatabase({ url })).rejects.toThrow(/synchronous_commit is off/)
  })

  test('a failed connection is reported without the password', async () => {
    const url = new URL(urlOf(await databases.place()))
    url.password = 'geheim'
    for (const [part, value] of [
      ['port', '1'],
      ['pathname', '/medloom_none'],
    ] as const) {
      const wrong = new URL(url)
      wrong[part] = value
      const error = await openDatabase({ url: wrong.href }).catch((error) => error)
      expect(error).toMatchObject({ kind: 'lost' })
      expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/geheim/)
      expect(error.message).toContain(value)
    }
  })

  test('a lost connection fails pending requests, is reported once and stays lost', async () => {
    const place = await databases.place()
    const onLost = vi.fn()
    const database = await openDatabase(place, { onLost })
    await insert(database, 'before')
    const queries = [
      sql`SELECT pg_sleep(60)`.execute(database),
      insert(database, 'behind'),
      database.transaction().execute((transaction) => insert(transaction, 'in a transaction')),
      database.withoutWaiting((transaction) => insert(transaction, 'relaxed')),
    ]
    const ends = Promise.allSettled(queries)
    await terminate(urlOf(place))
    for (const end of await ends) expect(end).toMatchObject({ reason: { kind: 'lost' } })
    await expect(insert(database, 'after')).rejects.toMatchObject({ kind: 'lost' })
    await expect(database.ping()).rejects.toMatchObject({ kind: 'lost' })
    expect(onLost).toHaveBeenCalledOnce()
    await database.destroy()
    const again = await openDatabase(place)
    expect(await stored(again)).toEqual(['before'])
    await again.destroy()
  })

  test('a reestablished connection works again; a transaction of the lost one does not continue in it', async () => {
    const place = await databases.place()
    const [onLost, onRestored] = [vi.fn(), vi.fn()]
    const database = await openDatabase(place, { reconnect: true, onLost, onRestored, role: 'api' })
    const lost = database.transaction().execute(async (transaction) => {
      await insert(transaction, 'before')
      await terminate(urlOf(place), 'medloom-api')
      await vi.waitFor(() => expect(onRestored).toHaveBeenCalled(), 20_000)
      await insert(transaction, 'after')
    })
    await expect(lost).rejects.toMatchObject({ kind: 'lost' })
    await insert(database, 'new')
    expect(await stored(database)).toEqual(['new'])
    expect(onLost).toHaveBeenCalledOnce()
    await database.destroy()
  })

  test('a wait for the server ends when it can be used, or when it is aborted', async () => {
    const place = (await databases.place()) as { url: string }
    await untilDatabaseAnswers(place, new AbortController().signal)
    const given = new AbortController()
    const waiting = untilDatabaseAnswers({ url: 'postgres://nobody@127.0.0.1:1/none' }, given.signal)
    given.abort()
    await waiting
  })

  test('a lock is held by one process at a time and ends with its connection', async () => {
    const place = await databases.place()
    const first = await openDatabase(place, { onLost: () => undefined, role: 'first' })
    const second = await openDatabase(place)
    expect([await first.server?.tryLock('a'), await second.server?.tryLock('a')]).toEqual([true, false])
    expect(await second.server?.tryLock('b')).toBe(true)
    await first.server?.unlock('a')
    expect(await second.server?.tryLock('a')).toBe(true)
    await second.server?.unlock('a')
    expect(await first.server?.tryLock('a')).toBe(true)
    await terminate(urlOf(place), 'medloom-first')
    await vi.waitFor(async () => expect(await second.server?.tryLock('a')).toBe(true), 20_000)
    for (const database of [first, second]) await database.destroy()
  })

  test('every process receives a notification with the commit, and handlers learn that one may be missed', async () => {
    const place = await databases.place()
    const [teller, hearer] = [await openDatabase(place), await openDatabase(place, { role: 'hearer' })]
    const payloads: (string | null)[] = []
    const end = await hearer.server?.listen('jobs', (payload) => void payloads.push(payload))
    await teller.transaction().execute(async (transaction) => {
      await teller.server?.notify('jobs', 'with the commit', transaction)
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(payloads).toEqual([])
    })
    const undone = teller.transaction().execute(async (transaction) => {
      await teller.server?.notify('jobs', 'never', transaction)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await teller.server?.notify('studies', 'elsewhere')
    await teller.server?.notify('jobs', 'at once')
    await vi.waitFor(() => expect(payloads).toEqual(['with the commit', 'at once']), 20_000)
    await terminate(urlOf(place), 'medloom-hearer-listener')
    await vi.waitFor(() => expect(payloads.at(-1)).toBeNull(), 20_000)
    await teller.server?.notify('jobs', 'again')
    await vi.waitFor(() => expect(payloads.at(-1)).toBe('again'), 20_000)
    await end?.()
    for (const database of [teller, hearer]) await database.destroy()
  })
})

test.each([
  ['23505', 'constraint'],
  ['57P01', 'lost'],
  ['08006', 'lost'],
  ['25P03', 'lost'],
  ['42601', 'other'],
])('the server error %s has the kind %s', (code, kind) => {
  const serverError = Object.assign(new Error('said'), {
    code,
    severity: 'ERROR',
    detail: 'Key (path)=(secret)',
  })
  expect(errorOf(serverError)).toMatchObject({ kind, code, message: expect.stringContaining('said') })
  expect(JSON.stringify(errorOf(serverError))).not.toContain('secret')
  expect(errorOf(Object.assign(serverError, { severity: 'FATAL' }))).toMatchObject({ kind: 'lost' })
})
