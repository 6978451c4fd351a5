import { phrase, textOf } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { arithmetic, graph, READING, tensor, validated } from '../../testing/arithmetic.js'
import { gate, having, once, settled, Workbench } from '../../testing/workbench.js'
import {
  Cancellation,
  type Executors,
  NotRunnable,
  type Outputs,
  plan,
  ResourceSemaphore,
  type RunEvent,
} from '../index.js'

/** Arithmetic nodes, some of which have special behavior. */
const except = (special: Record<string, Executors[string]>): Executors =>
  Object.fromEntries(
    Object.entries(arithmetic).map(([type, execute]) => [
      type,
      (task) => (special[task.node] ?? execute)(task),
    ]),
  )
const boom = () => {
  throw new RangeError('boom')
}
const statuses = (nodes: Readonly<Record<string, { status: string }>>) =>
  Object.fromEntries(Object.entries(nodes).map(([id, { status }]) => [id, status]))

describe('files that results name', () => {
  //  a ──► b ──► c
  it('are put into their places before a node counts as done, computed or cached, and named with their full paths', async () => {
    const bench = new Workbench()
    const placed: string[] = []
    const slow = gate()
    const place = ({ out }: Outputs) =>
      out?.summary === '2'
        ? async () => {
            placed.push(out.summary)
            await slow.promise
            return { out: ['/project/b.csv'] }
          }
        : undefined
    const workflow = graph('a > b > c', { b: { offset: 1 }, c: { offset: 1 } })
    const running = bench.run(workflow, { place })
    await settled()
    expect(bench.executed).toEqual(['a', 'b']) // c waits for the files of b
    slow.open()
    const { nodes } = await running
    expect(nodes.b?.outputs.out?.files).toEqual(['/project/b.csv'])
    expect(nodes.c?.outputs.out).not.toHaveProperty('files')
    const again = await bench.run(workflow, { place })
    expect(statuses(again.nodes)).toEqual({ a: 'cached', b: 'cached', c: 'cached' })
    expect(placed).toEqual(['2', '2'])
  })

  it('that cannot be put there are an error of their node, also when its result was cached', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b > c'))
    const full = () => () => Promise.reject(new RangeError('the disk is full'))
    const { status, nodes } = await bench.run(graph('a > b > c'), { place: full })
    expect([status, nodes.a?.error?.message]).toEqual(['error', 'the disk is full'])
    expect(statuses(nodes)).toEqual({ a: 'error', b: 'skipped', c: 'skipped' })
  })
})

describe('a failure', () => {
  //  a ──► bad ──► c ──► d
  //  slow ─────────────► e      slow runs already when bad fails
  //  slow ──► late              and is the only thing late waits for
  it('lets running nodes finish, starts nothing new, and gives every other node a reason', async () => {
    const slow = gate()
    const bench = new Workbench(except({ bad: boom, slow: () => once(slow.promise) }))
    const running = bench.run(graph('a > bad > c > d, slow > late'))
    await settled()
    slow.open()
    const { status, reason, nodes } = await running
    expect([status, reason]).toEqual(['error', textOf(phrase('node_failed', { node: 'bad' }))])
    expect(reason?.english).toBe('"bad" failed')
    expect(statuses(nodes)).toEqual({
      a: 'success',
      bad: 'error',
      c: 'skipped',
      d: 'skipped',
      slow: 'success',
      late: 'skipped',
    })
    expect([nodes.c?.reason, nodes.d?.reason, nodes.late?.reason]).toEqual([
      'it depends on "bad", which failed',
      'it depends on "bad", which failed',
      'the run stopped because "bad" failed',
    ])
    expect([nodes.c?.reason_phrases, nodes.late?.reason_phrases]).toEqual([
      [phrase('depends_on_failed', { node: 'bad' })],
      [phrase('run_stopped_by', { node: 'bad' })],
    ])
  })

  it('keeps type, message and trace on the node, those of another language too', async () => {
    const python = Object.assign(new Error('no such column'), { type: 'KeyError', trace: 'Traceback …' })
    const bench = new Workbench(
      except({ b: boom, c: () => Promise.reject(python), d: () => Promise.reject('text') }),
    )
    const { nodes } = await bench.run(graph('a > b c d'))
    expect(nodes.b?.error).toMatchObject({
      type: 'RangeError',
      message: 'boom',
      trace: expect.stringContaining('run.test'),
    })
    const failing = async (id: string) =>
      (await new Workbench(except({ [id]: () => Promise.reject(python) })).run(graph(`a > ${id}`))).nodes[id]
        ?.error
    expect(await failing('x')).toEqual({ type: 'KeyError', message: 'no such column', trace: 'Traceback …' })
  })

  //  a ──► b ──► bad ──► c      resumed twice: what succeeded is cached, nothing is copied
  it('can be resumed, and the resumed run resumed again, without running anything twice', async () => {
    let faults = 2
    const bench = new Workbench(
      except({ bad: (task) => (faults-- > 0 ? boom() : (arithmetic.Add?.(task) ?? boom())) }),
    )
    const workflow = graph('a > b > bad > c')
    const first = await bench.run(workflow, { force: ['a', 'bad'] })
    expect(first.force).toEqual(['bad'])
    const second = await bench.run(workflow, { force: first.force })
    expect(statuses(second.nodes)).toEqual({ a: 'cached', b: 'cached', bad: 'error', c: 'skipped' })
    const third = await bench.run(workflow, { force: second.force })
    expect(third.status).toBe('success')
    expect(bench.executed).toEqual(['a', 'b', 'bad', 'bad', 'bad', 'c'])
  })

  it.each<[string, Executors[string], string]>([
    ['no output', () => ({}), 'output out has no value with a digest'],
    [
      'an output of another type',
      () => ({ out: { ...tensor(1), type: 'image' } }),
      'output out is image, not tensor',
    ],
    [
      'an output too many',
      () => ({ out: tensor(1), more: tensor(2) }),
      '"more" is not an output of the node',
    ],
    [
      'an output without digest',
      () => ({ out: { ...tensor(1), digest: '' } }),
      'output out has no value with a digest',
    ],
  ])('is what an executor makes that gives %s', async (_, execute, message) => {
    const { nodes } = await new Workbench(except({ b: execute })).run(graph('a > b'))
    expect(nodes.b).toMatchObject({ status: 'error', error: { type: 'InvalidOutput', message } })
  })

  it('is a type that nothing executes', async () => {
    const { nodes } = await new Workbench({ Number: arithmetic.Number ?? boom }).run(graph('a > b'))
    expect(nodes.b?.error?.message).toBe('there is no executor for nodes of type "Add"')
  })
})

describe('a run', () => {
  it('is refused, with all issues, when the workflow is not valid', async () => {
    await expect(new Workbench().run(graph('a > b > a'))).rejects.toThrow(NotRunnable)
  })

  it('of targets leaves the other nodes out of its state', async () => {
    const { nodes } = await new Workbench().run(graph('a > b, c > d'), { targets: ['b'] })
    expect(Object.keys(nodes)).toEqual(['a', 'b'])
  })

  //  a ─┐
  //  b ─┼─► (io: 2 at once)     four sources, never more than two at a time
  //  c ─┤
  //  d ─┘
  it('never runs more nodes at once than its resources allow', async () => {
    let now = 0
    let most = 0
    const counted = async () => {
      most = Math.max(most, ++now)
      await settled()
      now--
      return { out: tensor(1) }
    }
    const bench = new Workbench({ Number: counted })
    const { status } = await bench.run(graph('a, b, c, d'), {
      resources: new ResourceSemaphore({ cpu: 1, gpu: 1, io: 2 }),
    })
    expect([status, most]).toEqual(['success', 2])
  })

  //  first ─┬─► n0 … n199      two at a time; a later run of x ─► y ─► z needs the same resource
  it('gives runs turns: a small one is not delayed by the nodes of a large one that wait', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`)
    const slow: Executors[string] = async (task) => {
      await settled()
      return (arithmetic[task.type] ?? boom)(task)
    }
    const bench = new Workbench({ Number: slow, Add: slow })
    const resources = new ResourceSemaphore({ cpu: 2, gpu: 1, io: 1 })
    const large = bench.run(graph(`first > ${names.join(' ')}`), { resources })
    while (bench.executed.length < 20) await settled()
    const before = bench.executed.length
    const small = await bench.run(graph('x > y > z'), { resources })
    expect(small.status).toBe('success')
    expect(bench.executed.length - before).toBeLessThan(30)
    expect((await large).status).toBe('success')
    expect(bench.executed).toHaveLength(204)
  })

  it('starts who waits as soon as there is more of a resource than was known', async () => {
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    let now = 0
    let most = 0
    const both = async () => {
      most = Math.max(most, ++now)
      if (most === 1) resources.add('io', 1)
      while (most < 2) await settled()
      now--
      return { out: tensor(1) }
    }
    const { status } = await new Workbench({ Number: both }).run(graph('a, b, c'), { resources })
    expect([status, most]).toEqual(['success', 2])
  })

  it('releases a resource when a node fails', async () => {
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    await new Workbench(except({ a: boom })).run(graph('a'), { resources })
    expect((await new Workbench().run(graph('a'), { resources })).status).toBe('success')
  })

  it('hands every executor its complete config and the values at its ports', async () => {
    const seen: unknown[] = []
    const bench = new Workbench(
      except({
        c: ({ config, inputs }) => {
          seen.push(
            config,
            Object.fromEntries(
              Object.entries(inputs).map(([port, values]) => [
                port,
                values.map(({ value }) => value.content),
              ]),
            ),
          )
          return { out: tensor(0) }
        },
      }),
    )
    await bench.run(graph('a b > c'))
    expect(seen).toEqual([
      { offset: 0, modulo: 7 },
      { in1: [1], in2: [2] },
    ])
  })

  it('does a chain of 5,000 cached nodes without recursion', async () => {
    const ids = Array.from({ length: 5000 }, (_, i) => `n${i}`)
    const workflow = graph(ids.join(' > '))
    const bench = new Workbench()
    await bench.run(workflow)
    const { nodes } = await bench.run(workflow)
    expect(bench.executed).toHaveLength(5000)
    expect(Object.values(nodes).every(({ status }) => status === 'cached')).toBe(true)
  })

  it('leaves no timer behind', async () => {
    const bench = new Workbench(except({ b: (task) => having(task.progress(0.5), task.progress(0.6)) }))
    await bench.run(graph('a > b'))
    expect(bench.clock.pending).toBe(0)
  })

  it('ends although its listener throws, and reports that', async () => {
    const bench = new Workbench()
    const onEvent = () => {
      throw new Error('listener')
    }
    await expect(bench.run(graph('a > b > c'), { onEvent })).rejects.toThrow('listener')
    expect(bench.executed).toEqual(['a', 'b', 'c'])
  })
})

describe('live state', () => {
  it('goes from pending to running to success, and reports each once', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b'))
    await bench.run(graph('a > b'))
    const states = bench.events.flatMap((event) =>
      event.type === 'node_status'
        ? `${event.node} ${event.state.status}`
        : event.type === 'run_status'
          ? event.status
          : [],
    )
    expect(states).toEqual([
      'running',
      'a running',
      'a success',
      'b running',
      'b success',
      'success',
      'running',
      'a cached',
      'b cached',
      'success',
    ])
  })

  it('reports progress at most ten times a second, and never loses the last', async () => {
    const work = gate()
    const bench = new Workbench(
      except({
        b: async (task) => {
          for (let i = 1; i <= 1000; i++) {
            task.progress(i / 1000, `batch ${i}`)
            bench.clock.advance(1)
          }
          await work.promise
          return { out: tensor(1) }
        },
      }),
    )
    const running = bench.run(graph('a > b'))
    await settled()
    bench.clock.advance(100)
    const own = bench.events.filter((event) => event.type === 'progress' && event.node === 'b')
    const overall = bench.events.filter((event) => event.type === 'progress' && event.node === null)
    expect(own.length).toBeGreaterThan(8)
    expect(own.length).toBeLessThanOrEqual(12)
    expect(overall.length).toBeLessThanOrEqual(14)
    expect(own.at(-1)).toMatchObject({ progress: 1, message: 'batch 1000' })
    work.open()
    await running
    expect(bench.events.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({
      node: null,
      progress: 1,
    })
  })

  it('reports a burst of log lines, then how many were omitted and the newest', async () => {
    const bench = new Workbench(
      except({
        a: async (task) => {
          for (let line = 1; line <= 1000; line++) task.log(`line ${line}`)
          bench.clock.advance(1000)
          task.log('later')
          return { out: tensor(1) }
        },
      }),
    )
    await bench.run(graph('a'))
    const lines = bench.events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(lines.slice(0, 2)).toEqual(['line 1', 'line 2'])
    expect(lines.slice(-4)).toEqual(['line 20', '979 lines omitted', 'line 1000', 'later'])
    expect(lines).toHaveLength(23)
  })

  it('contains no message of a node after its success', async () => {
    const bench = new Workbench(
      except({
        a: (task) => having(task.progress(0.5, 'predicting', [phrase('predicting')])),
        b: (task) => {
          task.progress(0.5, 'writing the table', [phrase('writing_table')])
          task.progress(0.6)
          throw new Error('boom')
        },
      }),
    )
    const { nodes } = await bench.run(graph('a > b'))
    expect(nodes.a).toMatchObject({ status: 'success', message: null })
    expect(nodes.a).not.toHaveProperty('message_phrases')
    expect(nodes.b).toMatchObject({
      status: 'error',
      message: 'writing the table',
      message_phrases: [{ code: 'writing_table' }],
    })
  })

  it('never goes back, whatever an executor reports', async () => {
    const bench = new Workbench(
      except({
        a: (task) => having([0.5, 0.2, -1, Number.NaN, 7].map((value) => task.progress(value))),
      }),
    )
    const { nodes } = await bench.run(graph('a'))
    expect(nodes.a?.progress).toBe(1)
  })

  it('shows the training job that does the work', async () => {
    const job = '6b8a3c1e-0000-4000-8000-000000000000'
    const bench = new Workbench(except({ a: (task) => having(task.job(job)) }))
    expect((await bench.run(graph('a'))).nodes.a?.job_id).toBe(job)
  })

  it('carries seconds, and the summaries of outputs', async () => {
    const bench = new Workbench(except({ a: () => having(bench.clock.advance(1500)) }))
    expect((await bench.run(graph('a'))).nodes.a).toMatchObject({
      duration: 1.5,
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-01T00:00:01.500Z',
      outputs: { out: { type: 'tensor', summary: '1', digest: 'digest of 1' } },
    })
  })
})

describe('when a node worked', () => {
  const timeAt = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
  //  a (2 s), b (3 s): one at a time
  it('is reported with the time in the queue', async () => {
    const bench: Workbench = new Workbench(
      except({
        a: () => having(bench.clock.advance(2000)),
        b: () => having(bench.clock.advance(3000)),
      }),
    )
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    const { nodes } = await bench.run(graph('a, b'), { resources })
    expect(nodes).toMatchObject({
      a: { queued_at: timeAt(0), started_at: timeAt(0) },
      b: { queued_at: timeAt(0), started_at: timeAt(2), ended_at: timeAt(5) },
    })
    bench.clock.advance(1000)
    const again = await bench.run(graph('a, b'), { resources })
    expect(again.nodes.a).toMatchObject({ queued_at: timeAt(6), started_at: null, ended_at: timeAt(6) })
  })

  //  a (3 s), b: one at a time
  it('is reported for a node that waits longer than a moment, with its resource', async () => {
    const bench: Workbench = new Workbench(except({ a: () => having(bench.clock.advance(3000)) }))
    const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
    const { nodes } = await bench.run(graph('a, b'), { resources })
    const states = bench.events.flatMap((event) =>
      event.type === 'node_status' && event.node === 'b' ? [event.state] : [],
    )
    expect(states.map(({ status, waits_for }) => [status, waits_for])).toEqual([
      ['pending', 'io'],
      ['running', undefined],
      ['success', undefined],
    ])
    expect(states[0]).toMatchObject({ queued_at: timeAt(0), started_at: null })
    expect(nodes.b).not.toHaveProperty('waits_for')
    const short: Workbench = new Workbench(except({ a: () => having(short.clock.advance(500)) }))
    await short.run(graph('a, b'), { resources })
    expect(short.events.filter((event) => event.type === 'node_status' && event.node === 'b')).toHaveLength(2)
  })

  it('is not reported for a node that never started', async () => {
    const { nodes } = await new Workbench(except({ a: boom })).run(graph('a > b'))
    expect(nodes.a).toMatchObject({ queued_at: timeAt(0), ended_at: timeAt(0) })
    expect(nodes.b).not.toHaveProperty('queued_at')
    expect(nodes.b).not.toHaveProperty('ended_at')
  })
})

describe('what is read from outside', () => {
  const files = (digest: string) => ({
    sourceDigest: () => digest,
    validated: validated(graph('load > b'), READING),
  })
  it('runs the node again when its content changed, not when it was only touched', async () => {
    const bench = new Workbench()
    await bench.run(graph('load > b'), files('one'))
    expect(await bench.executedBy(graph('load > b'), files('one'))).toEqual([])
    expect(await bench.executedBy(graph('load > b'), files('two'))).toEqual(['load'])
  })

  it('fails the node when it cannot be read', async () => {
    const sourceDigest = () => Promise.reject(new Error('there is no such file'))
    const { nodes } = await new Workbench().run(graph('load > b'), { ...files(''), sourceDigest })
    expect(statuses(nodes)).toEqual({ load: 'error', b: 'skipped' })
  })
})

describe('what a node warns of', () => {
  //  a (warns, and reports) ─► b
  const leftOut = { code: 'FILES_LEFT_OUT', message: '3 rows are left out' }
  const bench = () =>
    new Workbench({
      ...arithmetic,
      Number: (task) => {
        task.warn('FILES_LEFT_OUT', '3 rows are left out')
        task.warn('FILES_LEFT_OUT', '3 rows are left out')
        task.log('all is read')
        return { out: tensor(1) }
      },
    })

  it('is in its state, once, and in no other', async () => {
    const { nodes } = await bench().run(graph('a > b'))
    expect(nodes.a?.warnings).toEqual([leftOut])
    expect(nodes.b).not.toHaveProperty('warnings')
  })

  it('is there at once, while the node runs', async () => {
    const made = bench()
    await made.run(graph('a > b'))
    const warned = made.events.find((event) => event.type === 'node_status' && event.state.warnings)
    expect(warned).toMatchObject({ node: 'a', state: { status: 'running', warnings: [leftOut] } })
  })

  it('also when the result comes from the cache, whose digests it does not change', async () => {
    const made = bench()
    const first = await made.run(graph('a > b'))
    const again = await made.run(graph('a > b'))
    expect(again.nodes.a).toMatchObject({ status: 'cached', warnings: [leftOut] })
    expect(again.nodes.a?.outputs).toEqual(first.nodes.a?.outputs)
    expect(first.nodes.a?.outputs.out?.digest).toBe(tensor(1).digest)
  })
})

describe('the job that does the work of a node', () => {
  //  a (by a job) ─► b
  it('is in its state, also if the result comes from the cache', async () => {
    const job = '11111111-1111-4111-8111-111111111111'
    const bench = new Workbench({
      ...arithmetic,
      Number: (task) => {
        task.job(job)
        return { out: tensor(1) }
      },
    })
    expect((await bench.run(graph('a > b'))).nodes.a).toMatchObject({ status: 'success', job_id: job })
    const { nodes } = await bench.run(graph('a > b'))
    expect(nodes.a).toMatchObject({ status: 'cached', job_id: job })
    expect(nodes.b).not.toHaveProperty('job_id')
  })
})

describe('the cache', () => {
  //  a ─┐
  //  b ─┼─► d      one lookup for a, b and c, one for d
  //  c ─┘
  it('is asked once for all nodes that are ready together', async () => {
    const bench = new Workbench()
    const acquireMany = bench.cache.acquireMany.bind(bench.cache)
    const sizes: number[] = []
    bench.cache.acquireMany = (keys) => {
      sizes.push(keys.length)
      return acquireMany(keys)
    }
    await bench.run(graph('a b c > d'))
    await bench.run(graph('a b c > d'))
    expect(sizes).toEqual([3, 1, 3, 1])
  })

  it('that answers while a run is canceled leaves nothing held', async () => {
    const bench = new Workbench(arithmetic, { maxEntries: 1 })
    await bench.run(graph('a'))
    const acquireMany = bench.cache.acquireMany.bind(bench.cache)
    const slow = gate()
    bench.cache.acquireMany = async (keys) => {
      await slow.promise
      return acquireMany(keys)
    }
    const cancellation = new Cancellation()
    const running = bench.run(graph('a'), { cancellation })
    await settled()
    cancellation.request()
    expect((await running).status).toBe('cancelled')
    slow.open()
    await settled()
    bench.cache.acquireMany = acquireMany
    await bench.run(graph('x'))
    expect(await bench.executedBy(graph('a'))).toEqual(['a'])
  })

  //  a ──► b ──► c      the results are stored late
  it('stores a result while the nodes that use it run, of which nothing is told before it is stored', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b > c'))
    bench.cache.clear({ workflow: 'w', node: 'a' })
    bench.cache.clear({ workflow: 'w', node: 'b' })
    const put = bench.cache.put.bind(bench.cache)
    const disk = { a: gate(), b: gate() }
    bench.cache.put = async (key, outputs, origin) => {
      await disk[origin.node as 'a' | 'b'].promise
      return put(key, outputs, origin)
    }
    const events: RunEvent[] = []
    const running = bench.run(graph('a > b > c'), { onEvent: (event) => events.push(event) })
    const told = () =>
      events.flatMap((event) => (event.type === 'node_status' ? [`${event.node} ${event.state.status}`] : []))
    await settled()
    expect(bench.executed).toEqual(['a', 'b', 'c', 'a', 'b'])
    disk.b.open()
    await settled()
    expect(told()).toEqual(['a running'])
    disk.a.open()
    const { nodes } = await running
    expect(told()).toEqual(['a running', 'a success', 'b running', 'b success', 'c cached'])
    expect(statuses(nodes)).toEqual({ a: 'success', b: 'success', c: 'cached' })
  })

  it('that cannot be written warns and fails no node', async () => {
    const bench = new Workbench()
    bench.cache.put = () => Promise.reject(new Error('disk full'))
    expect((await bench.run(graph('a > b'))).status).toBe('success')
    expect(bench.events).toContainEqual({
      type: 'log',
      node: 'a',
      level: 'warning',
      code: 'RESULT_NOT_CACHED',
      message: 'the result cannot be cached: disk full',
    })
  })

  it('that cannot be read, or holds something damaged, is a miss with a warning', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b'))
    bench.cache.acquireMany = () => Promise.reject(new Error('broken'))
    expect(await bench.executedBy(graph('a > b'))).toEqual(['a', 'b'])
    bench.cache.acquireMany = async (keys) =>
      new Map(keys.map((key) => [key, { outputs: {}, release: () => {} }]))
    expect(await bench.executedBy(graph('a > b'))).toEqual(['a', 'b'])
    expect(bench.events.filter(({ type }) => type === 'log')).toHaveLength(4)
  })

  //  a ──► slow      the cache holds one entry, and others run meanwhile
  it('keeps what an active run needs, and shrinks to its size when the run ends', async () => {
    const slow = gate()
    const bench = new Workbench(except({ slow: () => once(slow.promise) }), { maxEntries: 1 })
    const running = bench.run(graph('a > slow'))
    await settled()
    await bench.run(graph('x, y, z'))
    const during = await plan(validated(graph('a > slow')), {}, { cache: bench.cache })
    expect(during.ok && during.steps[0]).toMatchObject({ node: 'a', action: 'reuse' })
    slow.open()
    await running
    expect(bench.cache.size).toBe(1)
  })

  it('holds nothing for a run that has ended, whether it ran or reused', async () => {
    const bench = new Workbench(arithmetic, { maxEntries: 2 })
    await bench.run(graph('a > b'))
    expect(await bench.executedBy(graph('a > b'))).toEqual([])
    await bench.run(graph('x, y'))
    expect(await bench.executedBy(graph('x, y'))).toEqual([])
    expect(await bench.executedBy(graph('a > b'))).toEqual(['a', 'b'])
  })

  it('may expire during a run without hurting it', async () => {
    const bench = new Workbench(except({ b: () => having(bench.clock.advance(5000)) }), { timeToLive: 1000 })
    await bench.run(graph('a > b > c'))
    const again = await bench.run(graph('a > b > c'))
    expect(again.status).toBe('success')
  })

  it('is cleared by node, by workflow, or altogether', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b > c'))
    await bench.run(graph('d'), { workflow: 'other' })
    expect(bench.cache.clear({ workflow: 'w', node: 'b' })).toBe(1)
    expect(await bench.executedBy(graph('a > b > c'))).toEqual(['b'])
    expect(bench.cache.clear({ workflow: 'w' })).toBe(3)
    expect(bench.cache.clear()).toBe(1)
  })
})

describe('two runs', () => {
  //  run 1: a ──► b        both need a and b at the same time
  //  run 2: a ──► b ──► c
  it('that need the same key compute it once', async () => {
    const work = gate()
    const bench = new Workbench(except({ b: () => once(work.promise) }))
    const runs = [bench.run(graph('a > b')), bench.run(graph('a > b > c'))]
    await settled()
    work.open()
    const results = await Promise.all(runs)
    expect(bench.executed.sort()).toEqual(['a', 'b', 'c'])
    expect(results.map(({ status }) => status)).toEqual(['success', 'success'])
  })

  //  run 2 requests a while run 1 computes it; the cache responds to run 1 at once and to others late
  it('that overlap compute a key once, however late the cache answers', async () => {
    const bench = new Workbench()
    const acquireMany = bench.cache.acquireMany.bind(bench.cache)
    const slow = gate()
    let requests = 0
    bench.cache.acquireMany = async (keys) => {
      const found = await acquireMany(keys)
      if (requests++ > 0) await slow.promise
      return found
    }
    const runs = [bench.run(graph('a'))]
    runs.push(bench.run(graph('a')))
    await settled()
    slow.open()
    await Promise.all(runs)
    expect(bench.executed).toEqual(['a'])
  })

  it('both show the job of a node, also the run that joined after the job had begun', async () => {
    const job = '6b8a3c1e-0000-4000-8000-000000000000'
    const work = gate()
    const begin: Executors[string] = (task) => {
      task.job(job)
      return once(work.promise)
    }
    const bench = new Workbench(except({ a: begin }))
    const runs = [bench.run(graph('a'))]
    await settled()
    const events: unknown[] = []
    runs.push(bench.run(graph('a'), { onEvent: (event) => events.push(event) }))
    await settled()
    const state = expect.objectContaining({ status: 'running', job_id: job })
    expect(events).toContainEqual({ type: 'node_status', node: 'a', state })
    work.open()
    await Promise.all(runs)
  })

  it('of which one forces a node compute it twice', async () => {
    const work = gate()
    const bench = new Workbench(except({ a: () => once(work.promise) }))
    const runs = [bench.run(graph('a')), bench.run(graph('a'), { force: ['a'] })]
    await settled()
    work.open()
    await Promise.all(runs)
    expect(bench.executed).toEqual(['a', 'a'])
  })
})
