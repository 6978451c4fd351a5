import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NewestNotice } from './newest-notice.js'

test('the newest notice is sent after each interval, and none after the end', async () => {
  const sent: string[] = []
  const notice = new NewestNotice(async (text) => void sent.push(text), 20)
  for (const text of ['one', 'two', 'three']) notice.say(text)
  expect(sent).toEqual([])
  await delay(50)
  notice.say('four')
  await delay(50)
  notice.say('five')
  await notice.end()
  await delay(50)
  expect(sent).toEqual(['three', 'four'])
})

test('the end waits for a notice that is being sent, and a failed one does not stop anything', async () => {
  const sent: string[] = []
  const notice = new NewestNotice(async (text) => {
    await delay(20)
    sent.push(text)
    throw new Error('the disk is full')
  }, 1)
  notice.say('one')
  await delay(10)
  await notice.end()
  expect(sent).toEqual(['one'])
})
