import { expect, test } from 'vitest'
import { shortLine } from './log.js'

test('a terminal shows one short line: time, level, message, fields; and the trace of a defect', () => {
  const time = '2026-01-02T03:04:05.678Z'
  expect(shortLine(JSON.stringify({ level: 30, time, msg: 'request', method: 'GET', status: 200 }))).toBe(
    '03:04:05 info  request method=GET status=200\n',
  )
  expect(
    shortLine(JSON.stringify({ level: 50, time, msg: 'failed', err: { stack: 'Error: x\n  at y' } })),
  ).toBe('03:04:05 ERROR failed\nError: x\n  at y\n')
})
