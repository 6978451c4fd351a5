import { describe, expect, it } from 'vitest'
import { arithmetic, graph, tensor } from '../../testing/arithmetic.js'
import { gate, once, settled, Workbench } from '../../testing/workbench.js'
import { Cancellation, type Executors, ResourceSemaphore } from '../index.js'

const except = (special: Record<string, Executors[string]>): Executors =>
  Object.fromEntries(
    Object.entries(arithmetic).map(([type, execute]) => [
      type,
      (task) => (special[task.node] ?? execute)(task),
    ]),
  )
const never = () => new Promise<never>(() => {})
/** Ends immediately when it is canceled. */
const obedient: Executors[string] = ({ cancellation }) =>
  new Promise((_, reject) => cancellation.onRequest(() => reject(new Error('ended early'))))
const statuses = (nodes: Readonly<Record<string, { status: string }>>) =>
  Object.fromEntries(Object.entries(nodes).map(([id, { status }]) => [id, status]))

describe('cancelling', () => {
  //  a ──► b ──► c      b is running
  it('ends what runs, starts nothing new, and leaves no node running', async () => {
    const bench = new Workbench(except({ b: obedient }))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a > b > c'), { cancellation })
    await settled()
    cancellation.request()
    const { status, nodes } = await running
    expect(status).toBe('cancelled')
    expect(statuses(nodes)).toEqual({ a: 'success', b: 'skipped', c: 'skipped' })
    expect([nodes.b?.reason, nodes.c?.reason]).toEqual(['canceled while it ran', 'the run was canceled'])
    expect(bench.clock.pending).toBe(0)
  })

  it('always ends, even when an executor never does', async () => {
    const bench = new Workbench(except({ b: never }))
    const cancellation = new Cancellation()
    let ended = false
    const running = bench.run(graph('a > b > c'), { cancellation }).finally(() => {
      ended = true
    })
    await settled()
    cancellation.request()
    bench.clock.advance(4999)
    await settled()
    expect(ended).toBe(false)
    bench.clock.advance(1)
    expect((await running).status).toBe('cancelled')
  })

  it('keeps the result of a node that finishes in the time it is given', async () => {
    const work = gate()
    const bench = new Workbench(except({ b: () => once(work.promise) }))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a > b > c'), { cancellation })
    await settled()
    cancellation.request()
    work.open()
    expect(statuses((await running).nodes)).toEqual({ a: 'success', b: 'success', c: 'skipped' })
    expect(await bench.executedBy(graph('a > b > c'))).toEqual(['c'])
  })

  it('twice is the same as once, and before the start runs nothing', async () => {
    const bench = new Workbench()
    const cancellation = new Cancellation()
    cancellation.request()
    cancellation.request()
    const { status, nodes } = await bench.run(graph('a > b'), { cancellation })
    expect([status, bench.executed, statuses(nodes)]).toEqual([
      'cancelled',
      [],
      { a: 'skipped', b: 'skipped' },
    ])
  })

  it('from within an event ends the run too', async () => {
    const bench = new Workbench()
    const cancellation = new Cancellation()
    const onEvent = (event: { type: string }) => {
      if (event.type === 'node_status') cancellation.request()
    }
    expect((await bench.run(graph('a > b > c'), { cancellation, onEvent })).status).toBe('cancelled')
  })

  it('after everything succeeded changes nothing', async () => {
    const cancellation = new Cancellation()
    const { status } = await new Workbench().run(graph('a > b'), {
      cancellation,
      onEvent: (event) =>
        event.type === 'node_status' &&
        event.node === 'b' &&
        event.state.status === 'success' &&
        cancellation.request(),
    })
    expect(status).toBe('success')
  })

  it('does not reach a node that has ended, neither then nor when the run ends', async () => {
    let calls = 0
    const counts: Executors[string] = ({ cancellation }) => {
      cancellation.onRequest(() => {
        calls++
      })
      return { out: tensor(1) }
    }
    const bench = new Workbench(except({ a: counts, b: obedient }))
    await bench.run(graph('a'))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a > b'), { cancellation, force: ['a'] })
    await settled()
    cancellation.request()
    await running
    expect(calls).toBe(0)
  })

  it('ends every node, even if one does not respond', async () => {
    const deaf: Executors[string] = ({ cancellation }) => {
      cancellation.onRequest(() => {
        throw new Error('the worker is gone')
      })
      return never()
    }
    const bench = new Workbench(except({ a: deaf, b: obedient }))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a, b'), { cancellation })
    await settled()
    cancellation.request()
    bench.clock.advance(5000)
    expect(statuses((await running).nodes)).toEqual({ a: 'skipped', b: 'skipped' })
  })

  it('a node that waits for a resource does not start it later', async () => {
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    const bench = new Workbench(except({ a: obedient }))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a, b'), { cancellation, resources })
    await settled()
    cancellation.request()
    await running
    await settled()
    expect(bench.executed).toEqual(['a'])
    expect((await bench.run(graph('b'), { resources })).status).toBe('success')
  })

  it('a stuck node keeps its resource: it is in use until it really ends', async () => {
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    const stuck = gate()
    const bench = new Workbench(except({ a: () => once(stuck.promise) }))
    const cancellation = new Cancellation()
    const running = bench.run(graph('a'), { cancellation, resources })
    await settled()
    cancellation.request()
    bench.clock.advance(5000)
    await running
    const next = bench.run(graph('b'), { resources })
    await settled()
    expect(bench.executed).toEqual(['a'])
    stuck.open()
    expect((await next).status).toBe('success')
  })
})

describe('one of two runs', () => {
  //  run 1: a ──► b      canceled while both wait for the same b
  //  run 2: a ──► b ──► c
  it('canceled never touches the other, which keeps the computation that they share', async () => {
    const work = gate()
    let cancelled = false
    const b: Executors[string] = async ({ cancellation }) => {
      cancellation.onRequest(() => {
        cancelled = true
      })
      await work.promise
      return { out: tensor(1) }
    }
    const bench = new Workbench(except({ b }))
    const cancellation = new Cancellation()
    const first = bench.run(graph('a > b'), { cancellation })
    const second = bench.run(graph('a > b > c'))
    await settled()
    cancellation.request()
    expect((await first).status).toBe('cancelled')
    expect(cancelled).toBe(false)
    work.open()
    expect((await second).status).toBe('success')
    expect(bench.executed.filter((id) => id === 'b')).toHaveLength(1)
  })

  it('that begins after the other was canceled computes again instead of joining what is ending', async () => {
    const stuck = gate()
    let calls = 0
    const a: Executors[string] = async () => {
      if (++calls === 1) await stuck.promise
      return { out: tensor(1) }
    }
    const bench = new Workbench(except({ a }))
    const cancellation = new Cancellation()
    const first = bench.run(graph('a'), { cancellation })
    await settled()
    cancellation.request()
    expect((await bench.run(graph('a'))).status).toBe('success')
    stuck.open()
    await first
    expect(calls).toBe(2)
  })

  //  run 1: a, bad      run 2: a      a waits for the resource that run 1's bad holds
  it('that fails lets the other have what it waited for', async () => {
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    const bad = gate<never>()
    const bench = new Workbench(except({ a: () => bad.promise }))
    const first = bench.run(graph('a, b'), { resources })
    await settled()
    const second = bench.run(graph('b'), { resources })
    await settled()
    bad.fail(new Error('boom'))
    expect(statuses((await first).nodes)).toEqual({ a: 'error', b: 'skipped' })
    expect((await second).status).toBe('success')
  })
})
