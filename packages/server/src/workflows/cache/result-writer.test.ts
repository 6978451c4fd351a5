import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NewResult } from './cache.repository.js'
import { ResultWriter } from './result-writer.js'

const result = (key: string, workflow = 'w'): NewResult => ({
  key,
  outputs: '{}',
  created_at: 0,
  blobs: [],
  origin: { workflow, node: key, type: 'Node' },
})

/** A writer, and the keys of each commit. */
function recorded(replace = async (): Promise<void> => {}) {
  const commits: string[][] = []
  const writer = new ResultWriter({
    replace: async (results) => {
      commits.push(results.map(({ key }) => key))
      await replace()
    },
  })
  return { writer, commits }
}

describe('the writer of results', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'setImmediate'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('stores a single result at once', async () => {
    const { writer, commits } = recorded()
    const written = writer.write(result('a'))
    await vi.advanceTimersByTimeAsync(1)
    await written
    expect(commits).toEqual([['a']])
  })

  it('stores together what quick nodes give within ten milliseconds, and confirms none before its commit', async () => {
    const { writer, commits } = recorded()
    const confirmed: string[] = []
    const write = (key: string) => void writer.write(result(key)).then(() => confirmed.push(key))
    write('a')
    await vi.advanceTimersByTimeAsync(1)
    for (const key of ['b', 'c', 'd']) {
      write(key)
      await vi.advanceTimersByTimeAsync(2)
    }
    expect(commits).toEqual([['a']])
    expect(confirmed).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(10)
    expect(commits).toEqual([['a'], ['b', 'c', 'd']])
    expect(confirmed).toEqual(['a', 'b', 'c', 'd'])
  })

  it('fails what shares a commit that fails, and goes on', async () => {
    let isFull = true
    const { writer, commits } = recorded(async () => {
      if (isFull) throw new Error('the disk is full')
    })
    const failed = expect(writer.write(result('a'))).rejects.toThrow('the disk is full')
    await vi.advanceTimersByTimeAsync(1)
    await failed
    isFull = false
    const written = writer.write(result('b'))
    await vi.advanceTimersByTimeAsync(20)
    await written
    expect(commits).toEqual([['a'], ['b']])
  })
})
