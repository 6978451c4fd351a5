import { describe, expect, it } from 'vitest'
import { Cancellation } from './index.js'
import { graph } from './testing/arithmetic.js'
import { gate, settled, Workbench } from './testing/bench.js'

/** A workbench whose cache takes results when the gate opens. */
function slowCache() {
  const taken = gate()
  const bench = new Workbench()
  const put = bench.cache.put.bind(bench.cache)
  bench.cache.put = ((...result: Parameters<typeof put>) => taken.promise.then(() => put(...result))) as never
  return { bench, taken }
}
/** Whether a run has ended by now. */
function watched<T>(running: Promise<T>) {
  const seen = { over: false }
  void running.then(() => {
    seen.over = true
  })
  return seen
}

describe('while the cache takes a result', () => {
  //  a ──► b ──► c
  it('the nodes below are computed; the run ends when all that it made is kept', async () => {
    const { bench, taken } = slowCache()
    const running = bench.run(graph('a > b > c'))
    const seen = watched(running)
    await settled()
    expect(bench.executed).toEqual(['a', 'b', 'c'])
    expect(seen.over).toBe(false)
    taken.open()
    expect((await running).status).toBe('success')
    expect(bench.cache.size).toBe(3)
  })

  it('another run that needs it joins, and computes nothing twice', async () => {
    const { bench, taken } = slowCache()
    const runs = [bench.run(graph('a > b'))]
    await settled()
    runs.push(bench.run(graph('a > b')))
    await settled()
    taken.open()
    for (const { status } of await Promise.all(runs)) expect(status).toBe('success')
    expect(bench.executed).toEqual(['a', 'b'])
  })

  it('a node that was forced is not done: what it gave before is still what is known', async () => {
    const { bench, taken } = slowCache()
    const running = bench.run(graph('a > b'), { force: ['a'] })
    await settled()
    expect(bench.executed).toEqual(['a'])
    taken.open()
    expect((await running).nodes.a?.status).toBe('success')
  })

  it('a run that is cancelled waits no longer for it than for what runs', async () => {
    const { bench } = slowCache()
    const cancellation = new Cancellation()
    const running = bench.run(graph('a > b'), { cancellation, cancelGrace: 1000 })
    const seen = watched(running)
    await settled()
    cancellation.request()
    bench.clock.advance(999)
    await settled()
    expect(seen.over).toBe(false)
    bench.clock.advance(1)
    expect((await running).nodes.b?.status).toBe('success')
  })
})
