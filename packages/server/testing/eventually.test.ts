import { expect, it } from 'vitest'
import { eventually } from './eventually.js'

const SHORT = { within: 60, every: 1 }

it('returns the first truthy value', async () => {
  const values = [undefined, null, 'here']
  expect(await eventually(() => values.shift(), undefined, SHORT)).toBe('here')
})

it('awaits each call and returns the first value that fulfills the condition', async () => {
  let count = 0
  expect(
    await eventually(
      async () => ++count,
      (value) => value === 3,
      SHORT,
    ),
  ).toBe(3)
})

it('continues after an error', async () => {
  let count = 0
  const look = () => {
    count++
    if (count < 3) throw new Error('no answer')
    return count
  }
  expect(await eventually(look, undefined, SHORT)).toBe(3)
})

it('fails with the last value and the waiting time', async () => {
  const state = { job: 'queued' }
  const failed = eventually(
    () => state,
    ({ job }) => job === 'completed',
    SHORT,
  )
  await expect(failed).rejects.toThrow(/^Not reached within 0\.\d s\. Seen last: \{"job":"queued"\}$/)
})

it('fails with the last error as its cause', async () => {
  const error = new TypeError('no answer')
  const failed = eventually(() => Promise.reject(error), undefined, SHORT)
  await expect(failed).rejects.toMatchObject({
    message: expect.stringContaining('Seen last: the error TypeError: no answer'),
    cause: error,
  })
})

it('fails in time if a call does not end', async () => {
  const failed = eventually(() => new Promise<boolean>(() => {}), undefined, SHORT)
  await expect(failed).rejects.toThrow('the first look did not end')
})

it('shortens a long value', async () => {
  const failed = eventually(
    () => 'x'.repeat(5000),
    () => false,
    SHORT,
  )
  await expect(failed).rejects.toThrow(/x{399}… \(5002 characters\)$/)
})
