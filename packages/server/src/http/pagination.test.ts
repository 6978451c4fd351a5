import { expect, test } from 'vitest'
import { readPageToken, toPage } from './pagination.js'

const rows = (...numbers: number[]) => numbers.map((number) => ({ number }))

test('the token of a page leads to the items after its last one', () => {
  const page = toPage(rows(9, 8, 7), 2)
  expect(page.items).toEqual(rows(9, 8))
  expect(readPageToken(page.next_page_token ?? '')).toBe(8)
})

test('the last page has no token, even if it is full', () => {
  expect(toPage(rows(2, 1), 2).next_page_token).toBeNull()
  expect(toPage([], 2)).toEqual({ items: [], next_page_token: null })
})

test.each([
  '',
  'x',
  '8',
  'YmVmb3JlOi0x',
  'YmVmb3JlOjA',
  `${Buffer.from('before:8').toString('base64url')}=`,
  '../..',
])('the token %j was never issued', (token) =>
  expect(() => readPageToken(token)).toThrow(expect.objectContaining({ code: 'INVALID_PAGE_TOKEN' })),
)
