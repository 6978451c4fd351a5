import { expect, test } from 'vitest'
import { takeTurn } from './take-turn.js'

function turn(free: readonly boolean[]) {
  const steps: string[] = []
  const answers = [...free]
  const taken = takeTurn({
    tryLock: async () => {
      steps.push('try')
      return answers.shift() ?? true
    },
    endHung: async () => void steps.push('end a hung one'),
    log: { info: (text: string) => void steps.push(text) },
    retryMilliseconds: 1,
  })
  return taken.then(() => steps)
}

test('a process becomes the controller at once where there is none', async () => {
  expect(await turn([true])).toEqual(['try'])
})

test('a process that waits looks before each try whether the controller hangs, and says that it waits', async () => {
  expect(await turn([false, false, true])).toEqual([
    'try',
    'another process is the controller; this one waits to take its place',
    'end a hung one',
    'try',
    'end a hung one',
    'try',
  ])
})
