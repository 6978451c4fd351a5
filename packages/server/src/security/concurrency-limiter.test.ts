import { expect, test } from 'vitest'
import { ConcurrencyLimiter } from './concurrency-limiter.js'

/** Requests by name of the caller and number, in the order of their start. */
class Requests {
  readonly begun: string[] = []
  readonly refused: string[] = []
  readonly #ends = new Map<string, () => void>()
  readonly #lefts = new Map<string, AbortController>()

  constructor(private readonly limiter: ConcurrencyLimiter) {}

  async come(...names: string[]): Promise<void> {
    for (const name of names) {
      const abort = new AbortController()
      this.#lefts.set(name, abort)
      this.limiter.acquire(name[0] as string, abort.signal).then(
        (end) => {
          this.begun.push(name)
          this.#ends.set(name, end)
        },
        (error) => this.refused.push(`${name} ${error.code}`),
      )
    }
    await settled()
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }

  async leave(name: string): Promise<void> {
    this.#lefts.get(name)?.abort()
    await settled()
  }
}

const settled = () => new Promise((resume) => setImmediate(resume))

test('a caller has a limited number of parallel requests, and does not block others', async () => {
  const requests = new Requests(new ConcurrencyLimiter({ most: 4, mostOfEach: 2, mostWaiting: 10 }))
  await requests.come('a1', 'a2', 'a3', 'a4', 'b1')
  expect(requests.begun).toEqual(['a1', 'a2', 'b1'])
  await requests.end('a2')
  expect(requests.begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('when all slots are in use, callers get the next ones alternately', async () => {
  const requests = new Requests(new ConcurrencyLimiter({ most: 1, mostOfEach: 2, mostWaiting: 10 }))
  await requests.come('a1', 'a2', 'a3', 'b1', 'b2')
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await requests.end(name)
  expect(requests.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('a request beyond the limit of its caller is refused, and a caller that has disconnected takes no turn', async () => {
  const limiter = new ConcurrencyLimiter({ most: 2, mostOfEach: 1, mostWaiting: 2 })
  const requests = new Requests(limiter)
  await requests.come('a1', 'a2', 'a3', 'a4', 'b1')
  expect(requests.refused).toEqual(['a4 TOO_MANY_REQUESTS'])
  await requests.leave('a2')
  await requests.end('a1')
  await requests.end('a1')
  expect(requests.begun).toEqual(['a1', 'b1', 'a3'])
  for (const name of ['b1', 'a3']) await requests.end(name)
  expect(limiter.callers).toBe(0)
})

test('a waiting request of a disconnected caller makes room for the next one of that caller', async () => {
  const requests = new Requests(new ConcurrencyLimiter({ most: 1, mostOfEach: 1, mostWaiting: 2 }))
  await requests.come('b1', 'a1', 'a2')
  await requests.leave('a1')
  await requests.end('b1')
  expect(requests.begun).toEqual(['b1', 'a2'])
})
