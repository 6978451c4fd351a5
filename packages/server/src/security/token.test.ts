import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readToken, refuseOpen, sameToken } from './token.js'

const PLACE = { host: '127.0.0.1', dataDir: '/no/such/folder' }
const file = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'medloom-token-')), 'token')
  writeFileSync(path, text)
  return path
}

test('loopback needs no token, every other address does', () => {
  expect(readToken({ ...PLACE, tokenFile: null })).toBeNull()
  expect(() => refuseOpen({ host: '127.0.0.1' }, false)).not.toThrow()
  for (const host of ['0.0.0.0', '::', '192.168.0.7', 'trainer.example.org']) {
    expect(() => refuseOpen({ host }, true)).not.toThrow()
    expect(() => readToken({ ...PLACE, host, tokenFile: null })).toThrow(/no token is set/)
    expect(readToken({ host, dataDir: tmpdir(), tokenFile: null })).toBeNull()
    expect(() => refuseOpen({ host }, false)).toThrow(
      expect.objectContaining({ name: 'StartError', remedy: expect.stringContaining('--token-file') }),
    )
  }
})

test('the token is the only line of its file', () => {
  expect(readToken({ ...PLACE, tokenFile: file('0123456789abcdef\n') })).toBe('0123456789abcdef')
  expect(readToken({ ...PLACE, tokenFile: file('0123456789abcdef') })).toBe('0123456789abcdef')
})

test.each(['', 'short', '0123456789 abcdef', '0123456789abcdef\n0123456789abcdef', '0123456789äöüabcdef'])(
  'a file with %j is unusable',
  (text) => expect(() => readToken({ ...PLACE, tokenFile: file(text) })).toThrow(/at least 16/),
)

test('an unreadable file prevents the start', () => {
  expect(() => readToken({ ...PLACE, tokenFile: '/no/such/token' })).toThrow(/cannot be read/)
})

test('tokens of any length are compared', () => {
  expect(sameToken('abc', 'abc')).toBe(true)
  expect(sameToken('abc', 'abcd')).toBe(false)
  expect(sameToken('', 'abc')).toBe(false)
})
