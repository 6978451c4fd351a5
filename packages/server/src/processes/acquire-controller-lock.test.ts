import { expect, test } from 'vitest'
import { DatabaseError } from '../database/database-error.js'
import { acquireControllerLock } from './acquire-controller-lock.js'

/** @param answers to each attempt; an error is thrown instead */
function turn(answers: readonly (boolean | Error)[]) {
  const steps: string[] = []
  const remaining = [...answers]
  const taken = acquireControllerLock({
    tryLock: async () => {
      steps.push('try')
      const answer = remaining.shift() ?? true
      if (answer instanceof Error) throw answer
      return answer
    },
    endHung: async () => void steps.push('end a hung one'),
    log: {
      info: (text: string) => void steps.push(text),
      warn: (_facts: object, text?: string) => void steps.push(`warning: ${text}`),
    },
    retryMilliseconds: 1,
  })
  return taken.then(() => steps)
}

test('a process becomes the controller at once if there is none', async () => {
  expect(await turn([true])).toEqual(['try'])
})

test('a waiting process checks before each attempt if the controller hangs, and logs that it waits', async () => {
  expect(await turn([false, false, true])).toEqual([
    'try',
    'another process is the controller; this process is on standby',
    'end a hung one',
    'try',
    'end a hung one',
    'try',
  ])
})

test('an error of the database is retried and reported once; a lost connection ends the wait', async () => {
  const refused = new DatabaseError('out of shared memory', 'other', '53200')
  const steps = await turn([false, refused, refused, false, true])
  expect(steps.filter((step) => step.startsWith('warning'))).toEqual([
    'warning: the database does not contain the address of the controller; this process remains on standby',
  ])
  expect(steps.filter((step) => step === 'try')).toHaveLength(5)
  const lost = new DatabaseError('the server was restarted', 'lost', undefined)
  await expect(turn([false, lost])).rejects.toBe(lost)
})
