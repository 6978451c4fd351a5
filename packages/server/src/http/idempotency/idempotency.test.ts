import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import { type Database, type DatabasePlace, openDatabase } from '../../database/database.js'
import { createIdempotency } from './idempotency.js'

const keyedRequest = (route: string, key: string | undefined, user: string | null = null) => ({
  route,
  key,
  user,
})

describeEachDatabase((databases) => {
  let database: Database
  let place: DatabasePlace
  beforeAll(async () => {
    place = await databases.place()
    database = await openDatabase(place)
  })
  afterAll(() => database.destroy())

  /** An action that counts its executions. */
  const counting = () => {
    const action = { runs: 0, run: async () => ({ run: ++action.runs }) }
    return action
  }

  test('the same key and request get the stored response, even with another order of keys and after a restart', async () => {
    const { run } = counting()
    const first = createIdempotency(database)
    expect(await first.once(keyedRequest('start', 'k1'), { a: 1, b: { c: 2, d: 3 } }, run)).toEqual({
      run: 1,
    })
    expect(await first.once(keyedRequest('start', 'k1'), { b: { d: 3, c: 2 }, a: 1 }, run)).toEqual({
      run: 1,
    })
    const again = await openDatabase(place)
    expect(
      await createIdempotency(again).once(keyedRequest('start', 'k1'), { a: 1, b: { c: 2, d: 3 } }, run),
    ).toEqual({
      run: 1,
    })
    await again.destroy()
  })

  test('the same key with another request is refused; on another route, or without a key, it is new', async () => {
    const { run } = counting()
    const idempotency = createIdempotency(database)
    await idempotency.once(keyedRequest('start', 'k2'), { a: 1 }, run)
    await expect(idempotency.once(keyedRequest('start', 'k2'), { a: '1' }, run)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    expect(await idempotency.once(keyedRequest('register', 'k2'), { a: '1' }, run)).toEqual({ run: 2 })
    expect(await idempotency.once(keyedRequest('start', undefined), { a: 1 }, run)).toEqual({ run: 3 })
    expect(await idempotency.once(keyedRequest('start', undefined), { a: 1 }, run)).toEqual({ run: 4 })
  })

  test('each user has separate keys; a response stored under a key without user is found by its user', async () => {
    const { run } = counting()
    const idempotency = createIdempotency(database)
    expect(await idempotency.once(keyedRequest('start', 'k9', 'ann'), { a: 1 }, run)).toEqual({ run: 1 })
    expect(await idempotency.once(keyedRequest('start', 'k9', 'ben'), { a: 2 }, run)).toEqual({ run: 2 })
    expect(await idempotency.once(keyedRequest('start', 'k9', 'ann'), { a: 1 }, run)).toEqual({ run: 1 })
    await expect(idempotency.once(keyedRequest('start', 'k9', 'ann'), { a: 2 }, run)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    // Stored like earlier versions did, with the user only in the request.
    await idempotency.once(keyedRequest('start', 'k10'), { a: 1, user: 'ann' }, run)
    expect(await idempotency.once(keyedRequest('start', 'k10', 'ann'), { a: 1 }, run)).toEqual({ run: 3 })
    expect(await idempotency.once(keyedRequest('start', 'k10', 'ben'), { a: 1 }, run)).toEqual({ run: 4 })
  })

  test('parallel requests with one key run once; one with another body is refused', async () => {
    const action = counting()
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return action.run()
    }
    const idempotency = createIdempotency(database)
    const answers = await Promise.allSettled([
      idempotency.once(keyedRequest('start', 'k3'), { a: 1 }, slow),
      idempotency.once(keyedRequest('start', 'k3'), { a: 1 }, slow),
      idempotency.once(keyedRequest('start', 'k3'), { a: 2 }, slow),
    ])
    expect(answers).toMatchObject([
      { value: { run: 1 } },
      { value: { run: 1 } },
      { reason: { code: 'IDEMPOTENCY_CONFLICT' } },
    ])
  })

  test('a failure is not stored: the request may be repeated', async () => {
    const idempotency = createIdempotency(database)
    const fail = async () => {
      throw new Error('no')
    }
    await expect(idempotency.once(keyedRequest('start', 'k4'), {}, fail)).rejects.toThrow('no')
    expect(await idempotency.once(keyedRequest('start', 'k4'), {}, counting().run)).toEqual({ run: 1 })
  })

  test('the response is stored in the transaction of the work, and rolled back with it', async () => {
    const idempotency = createIdempotency(database)
    const undone = idempotency.once(keyedRequest('start', 'k5'), {}, (remember) =>
      database.transaction().execute(async (transaction) => {
        await remember(transaction, { run: 0 })
        throw new Error('the work failed')
      }),
    )
    await expect(undone).rejects.toThrow('the work failed')
    expect(await idempotency.once(keyedRequest('start', 'k5'), {}, counting().run)).toEqual({ run: 1 })
  })

  test.each(['', 'x'.repeat(201), 'ä', 'a\nb'])('the key %j is refused', async (key) => {
    await expect(
      createIdempotency(database).once(keyedRequest('start', key), {}, counting().run),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })
})
