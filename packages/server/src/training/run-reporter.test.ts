import pino from 'pino'
import { expect, test } from 'vitest'
import { RunReporter } from './run-reporter.js'

test('reports are written one at a time and in order; a failed one does not block the next', async () => {
  let writing = 0
  const written: string[] = []
  const reporter = new RunReporter({
    log: pino({ level: 'silent' }),
    write: async (jobId) => {
      expect(++writing).toBe(1)
      await new Promise(setImmediate)
      writing -= 1
      if (jobId === 'broken') throw new Error('no charts')
      written.push(jobId)
    },
  })
  await Promise.all(['a', 'broken', 'b', 'c'].map((jobId) => reporter.report(jobId)))
  expect(written).toEqual(['a', 'b', 'c'])
})

test('nothing starts after the close', async () => {
  let go = () => {}
  const gate = new Promise<void>((done) => {
    go = done
  })
  const begun: string[] = []
  const reporter = new RunReporter({
    log: pino({ level: 'silent' }),
    write: (jobId) => {
      begun.push(jobId)
      return gate
    },
  })
  const both = [reporter.report('first'), reporter.report('second')]
  await new Promise(setImmediate)
  reporter.close()
  go()
  await Promise.all(both)
  expect(begun).toEqual(['first'])
})
