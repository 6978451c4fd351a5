import { expect, test } from 'vitest'
import { LiveMessages } from './live-messages.js'

test('a client that reconnects gets the missed messages, if they are kept and complete', () => {
  const messages = new LiveMessages<{ type: 'note'; seq: number; timestamp: string }>(() => 'all', 3)
  const after = (since: number) => messages.after('all', since)?.map(({ seq }) => seq) ?? null
  expect([after(0), after(1)]).toEqual([[], null])
  for (let count = 0; count < 6; count++) messages.publish({ type: 'note' })
  expect([after(6), after(4), after(0)]).toEqual([[], [5, 6], [1, 2, 3, 4, 5, 6]])
  messages.publish({ type: 'note' })
  expect([after(4), after(3), after(8)]).toEqual([[5, 6, 7], null, null])
  messages.forget('all')
  messages.publish({ type: 'note' })
  expect([after(7), after(8)]).toEqual([null, [9]])
})
