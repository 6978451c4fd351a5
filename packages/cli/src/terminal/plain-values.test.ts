import { expect, test } from 'vitest'
import { plainText, plainValues } from './plain-values.js'

test('escape sequences and control characters of values do not reach a terminal', () => {
  expect(plainText('a\x1b[2Jb\x1b]0;title\x07c')).toBe('abc')
  expect(plainText('one\rtwo\x08\x9b31m')).toBe('one?two?')
  expect(plainText('line\n\tnext')).toBe('line\n\tnext')
})

test('texts are cleaned wherever they are in a response', () => {
  expect(plainValues({ note: 'a\x1b[31mb', list: [{ 'k\x1b[1mey': 'x\ry' }], count: 3, none: null })).toEqual(
    {
      note: 'ab',
      list: [{ key: 'x?y' }],
      count: 3,
      none: null,
    },
  )
})
