import { expect, test } from 'vitest'
import { MemoryExchange } from '../../testing/training/memory-exchange.js'
import { findIn, tailOf } from './log-view.js'

const logOf = (text: string) => {
  const exchange = new MemoryExchange('/run')
  exchange.writeLog(text)
  return exchange
}
const find = (exchange: Pick<MemoryExchange, 'log'>, q: string, { ignore_case = false, limit = 100 } = {}) =>
  findIn(exchange, { q, ignore_case, limit })
const LONG = 'Größe 5 µm 😀\n'.repeat(150_000)

test('the tail has the last lines and their offset; a line without a line break counts', async () => {
  const text = 'one\nzwölf\nthree\nhalf'
  const piece = await tailOf(logOf(text), 2)
  expect(piece).toEqual({ offset: 11, next_offset: 21, size: 21, text: 'three\nhalf' })
  expect((await tailOf(logOf(text), 100)).text).toBe(text)
  expect(await tailOf(logOf(''), 5)).toEqual({
    offset: expect.any(Number),
    next_offset: expect.any(Number),
    size: 0,
    text: '',
  })
})

test('the tail of a long log has only complete lines, which are read at its offset', async () => {
  const exchange = logOf(LONG)
  const { offset, text, size } = await tailOf(exchange, 10_000_000)
  expect(text.startsWith('Größe')).toBe(true)
  expect(offset + Buffer.byteLength(text)).toBe(size)
  expect((await exchange.log(offset, 100)).text.startsWith('Größe')).toBe(true)
})

test('lines are found with their number and byte offset, across pieces', async () => {
  const exchange = logOf(`${LONG}Error: CUDA (1.5)\n${LONG}last ERROR`)
  const found = await find(exchange, 'error', { ignore_case: true })
  expect(found.matches.map(({ line, text }) => [line, text])).toEqual([
    [150_001, 'Error: CUDA (1.5)'],
    [300_002, 'last ERROR'],
  ])
  for (const { offset, text } of found.matches)
    expect((await exchange.log(offset, 100)).text.startsWith(text)).toBe(true)
  expect((await find(exchange, 'error')).matches).toEqual([])
  expect((await find(exchange, 'CUDA (1.5)')).matches).toHaveLength(1)
  expect((await find(exchange, 'CUDA .1.5')).matches).toEqual([])
})

test('the requested number of lines is returned, each shortened for display', async () => {
  const exchange = logOf(`${'x'.repeat(5000)}\n`.repeat(3))
  const { matches, more } = await find(exchange, 'x', { limit: 2 })
  expect([matches.map(({ text }) => text.length), more]).toEqual([[500, 500], true])
  expect((await find(exchange, 'x', { limit: 3 })).more).toBe(false)
})

test('a removed part between the beginning and the newest lines splits one line into two', async () => {
  const parts = new Map([
    [0, 'begin\nhal'],
    [1000, 'f\nnewest\n'],
  ])
  const log = async (offset: number) => {
    const [start, text] = [...parts].find(([start, text]) => start + text.length > offset) ?? [offset, '']
    return { offset: start, next_offset: start + text.length, size: 1009, text }
  }
  expect((await find({ log }, '', {})).matches).toEqual([
    { offset: 0, line: 1, text: 'begin' },
    { offset: 6, line: 2, text: 'hal' },
    { offset: 1000, line: 3, text: 'f' },
    { offset: 1002, line: 4, text: 'newest' },
  ])
})
