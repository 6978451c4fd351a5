import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NewestNotice } from './newest-notice.js'

test('the newest notice is sent after each interval, and none after the end', async () => {
  const told: string[] = []
  const notice = new NewestNotice(async (text) => void told.push(text), 20)
  for (const text of ['one', 'two', 'three']) notice.say(text)
  expect(told).toEqual([])
  await delay(50)
  notice.say('four')
  await delay(50)
  notice.say('five')
  await notice.end()
  await delay(50)
  expect(told).toEqual(['three', 'four'])
})

test('the end waits for a notice that is being sent, and a failed one does not stop anything', async () => {
  const told: string[] = []
  const notice = new NewestNotice(async (text) => {
    await delay(20)
    told.push(text)
    throw new Error('the disk is full')
  }, 1)
  notice.say('one')
  await delay(10)
  await notice.end()
  expect(told).toEqual(['one'])
})
