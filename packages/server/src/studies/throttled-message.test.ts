import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ThrottledMessage } from './throttled-message.js'

test('the newest message is sent after each interval, and none after the end', async () => {
  const sent: string[] = []
  const message = new ThrottledMessage<string>(async (text) => void sent.push(text), 20)
  for (const text of ['one', 'two', 'three']) message.send(text)
  expect(sent).toEqual([])
  await delay(50)
  message.send('four')
  await delay(50)
  message.send('five')
  await message.end()
  await delay(50)
  expect(sent).toEqual(['three', 'four'])
})

test('the end waits for a message that is being sent, and a failed one does not stop anything', async () => {
  const sent: string[] = []
  const message = new ThrottledMessage<string>(async (text) => {
    await delay(20)
    sent.push(text)
    throw new Error('the disk is full')
  }, 1)
  message.send('one')
  await delay(10)
  await message.end()
  expect(sent).toEqual(['one'])
})
