import { expect, test } from 'vitest'
import { decodePosition, encodePosition } from './keyset-pagination.js'

const query = { order_by: 'metrics.val_auc', order: 'desc' }

test.each([
  { key: 0.1 + 0.2, number: 7 },
  { key: 'Größe "5" µm', number: 1 },
  { key: null, number: 123_456 },
])('the token of %j leads back to that position', (place) =>
  expect(decodePosition(encodePosition(place, query), query)).toEqual(place),
)

test('the token of another query is refused, with the reason', () => {
  const token = encodePosition({ key: 0.5, number: 7 }, query)
  expect(() => decodePosition(token, { ...query, order: 'asc' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_PAGE_TOKEN',
      message: expect.stringContaining('another filter or order'),
    }),
  )
})

test.each([
  '',
  'x',
  'bnVsbA',
  'W10',
  `${encodePosition({ key: 1, number: 1 }, query)}=`,
  encodePosition({ key: 1, number: 0 }, query),
])('the token %j was never issued', (token) =>
  expect(() => decodePosition(token, query)).toThrow(expect.objectContaining({ code: 'INVALID_PAGE_TOKEN' })),
)
