import { expect, it } from 'vitest'
import { FairQueue } from './fair-queue.js'

const [a, b, c] = [{}, {}, {}]
const drain = (queue: FairQueue<string>) => {
  const taken: string[] = []
  for (let next = queue.take(); next; next = queue.take()) taken.push(next)
  return taken
}

it('parties take turns, and within one who waits longest is first', () => {
  const queue = new FairQueue<string>()
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.add(a, name)
  for (const name of ['b1', 'b2']) queue.add(b, name)
  expect([queue.take(), queue.take()]).toEqual(['a1', 'b1'])
  queue.add(c, 'c1')
  expect(drain(queue)).toEqual(['a2', 'b2', 'c1', 'a3', 'a4'])
})

it('who leaves is not served, and a party without anyone waiting loses its turn', () => {
  const queue = new FairQueue<string>()
  queue.add(a, 'a1')
  const leave = queue.add(b, 'b1')
  queue.add(c, 'c1')
  leave()
  queue.add(b, 'b2')
  leave()
  expect(drain(queue)).toEqual(['a1', 'c1', 'b2'])
  expect(queue.take()).toBeUndefined()
})
