import pino from 'pino'
import { expect, test } from 'vitest'
import { StudyRun } from './study-run.js'

test('a study whose database fails for a while continues automatically', async () => {
  let failures = 3
  const repository = {
    find: async () => {
      if (failures-- > 0) throw new Error('the disk is full')
      return undefined
    },
  }
  const finished: string[] = []
  const finish = { finish: async (studyId: string) => finished.push(studyId) }
  const log = pino({ level: 'silent' })
  const run = new StudyRun('one', { repository, finish, log, retryMilliseconds: 5 } as never)
  await run.run()
  expect([failures, finished]).toEqual([-1, ['one']])
})

test('a detached study ends at once, even while it waits for a retry', async () => {
  const repository = { find: () => Promise.reject(new Error('the disk is full')) }
  const log = pino({ level: 'silent' })
  const run = new StudyRun('one', { repository, log, retryMilliseconds: 60_000 } as never)
  const ended = run.run()
  await new Promise((turn) => setTimeout(turn, 20))
  run.detach()
  await ended
})
