import { describe, expect, it } from 'vitest'
import { graph, validated } from '../../testing/arithmetic.js'
import { gate, settled, Workbench } from '../../testing/workbench.js'

/** A workbench whose cache stores a result when a gate opens. */
function slowStorage() {
  const bench = new Workbench()
  const storage = gate()
  const put = bench.cache.put.bind(bench.cache)
  bench.cache.put = async (...result) => {
    await storage.promise
    return put(...result)
  }
  const done = () =>
    bench.events.flatMap((event) =>
      event.type === 'node_status' && event.state.status === 'success' ? [event.node] : [],
    )
  return { bench, storage, done }
}

describe('a result that is being stored', () => {
  it('is used by the nodes below, and none of them is reported as done before all above it are stored', async () => {
    const { bench, storage, done } = slowStorage()
    const running = bench.run(graph('a > b > c'))
    await settled()
    expect(bench.executed).toEqual(['a', 'b', 'c'])
    expect(done()).toEqual([])
    storage.open()
    expect((await running).status).toBe('success')
    expect(done()).toEqual(['a', 'b', 'c'])
  })

  it('is not used by a training, which outlives the service, until it is stored', async () => {
    const { bench, storage } = slowStorage()
    const checked = validated(graph('a > b'))
    const definitions = checked.definitions.map((known) => known && { ...known, runs: 'job' as const })
    const running = bench.run(graph('a > b'), { validated: { ...checked, definitions } })
    await settled()
    expect(bench.executed).toEqual(['a'])
    storage.open()
    await running
    expect(bench.executed).toEqual(['a', 'b'])
  })

  it('is waited for once a hundred others are being stored', async () => {
    const { bench, storage } = slowStorage()
    const running = bench.run(graph(Array.from({ length: 300 }, (_, i) => `n${i}`).join(' > ')))
    for (let turn = 0; turn < 100; turn++) await settled()
    expect(bench.executed).toHaveLength(101)
    storage.open()
    await running
    expect(bench.executed).toHaveLength(300)
  })

  it('is joined by another run that needs it meanwhile', async () => {
    const { bench, storage } = slowStorage()
    const first = bench.run(graph('a'))
    await settled()
    const second = bench.run(graph('a'))
    await settled()
    storage.open()
    await Promise.all([first, second])
    expect(bench.executed).toEqual(['a'])
  })
})
