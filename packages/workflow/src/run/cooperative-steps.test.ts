import { describe, expect, it } from 'vitest'
import { arithmetic, graph, randomGraph } from '../../testing/arithmetic.js'
import { training } from '../../testing/examples.js'
import { EMPTY_CACHE, gate, having, once, Workbench } from '../../testing/workbench.js'
import {
  Cancellation,
  type CooperativeSteps,
  type Executors,
  infer,
  inferenceSteps,
  plan,
  ResourceSemaphore,
  runYielding,
  validate,
  validationSteps,
} from '../index.js'

/** Pauses at every opportunity, and records what happened between two pauses. */
class Pauses {
  readonly between: number[] = [0]
  readonly pause = () => {
    this.between.push(0)
    return new Promise<void>((resume) => setImmediate(resume))
  }
  happened = () => {
    this.between[this.between.length - 1] = (this.between.at(-1) ?? 0) + 1
  }
}
const steps = (work: CooperativeSteps<unknown>) => {
  let count = 0
  while (!work.next().done) count++
  return count
}
//         ┌─► n1
//  first ─┼─► …        all wait for the same resource
//         └─► n60
const many = Array.from({ length: 60 }, (_, i) => `n${i}`)
const wide = graph(`first > ${many.join(' ')}`)
/** The same without a connection. */
const apart = graph(['first', ...many].join(', '))

describe('planning stops between its steps', () => {
  it('at every node and connection, and gives what it gives at once', async () => {
    const workflow = training()
    const nodes = workflow.nodes.length
    const check = validate(workflow)
    const knowledge = { cache: EMPTY_CACHE }
    expect(steps(validationSteps(workflow))).toBeGreaterThanOrEqual(nodes + workflow.connections.length)
    expect(steps(inferenceSteps(check))).toBeGreaterThanOrEqual(2 * nodes)
    const { pause } = new Pauses()
    expect(await runYielding(validationSteps(workflow), pause)).toEqual(check)
    expect(await runYielding(inferenceSteps(check), pause)).toEqual(infer(check))
    const planning = new Pauses()
    const planned = await plan(check, {}, { ...knowledge, pause: planning.pause })
    expect(planning.between.length).toBeGreaterThanOrEqual(nodes)
    expect(planned).toEqual(await plan(check, {}, knowledge))
  })
})

describe('a run yields to the event loop', () => {
  it.each([1, 4])(
    'between nodes that are computed, however many wait for the first of %i permits',
    async (permits) => {
      const pauses = new Pauses()
      const first = gate()
      const executors: Executors = Object.fromEntries(
        Object.entries(arithmetic).map(([type, execute]) => [
          type,
          (task) => {
            pauses.happened()
            return task.node === 'first' ? once(first.promise) : execute(task)
          },
        ]),
      )
      const options = {
        pause: pauses.pause,
        resources: new ResourceSemaphore({ cpu: permits, gpu: 1, io: permits }),
      }
      const running = new Workbench(executors).run(apart, options)
      for (let turn = 0; turn < 2 * many.length; turn++) await new Promise(setImmediate)
      first.open()
      expect((await running).status).toBe('success')
      expect(pauses.between.reduce((sum, count) => sum + count)).toBe(61)
      expect(Math.max(...pauses.between)).toBeLessThanOrEqual(permits)
    },
  )

  it('between nodes that are cached, and between those that it leaves out', async () => {
    const bench = new Workbench({ ...arithmetic })
    await bench.run(wide)
    const again = new Pauses()
    await bench.run(wide, {
      pause: again.pause,
      onEvent: ({ type }) => type === 'node_status' && again.happened(),
    })
    expect(Math.max(...again.between)).toBe(1)

    const failing = new Workbench({ ...arithmetic, Number: () => Promise.reject(new Error('boom')) })
    const after = new Pauses()
    const { nodes } = await failing.run(wide, {
      pause: after.pause,
      onEvent: (event) =>
        event.type === 'node_status' && event.state.status === 'skipped' && after.happened(),
    })
    expect(Object.values(nodes).filter(({ status }) => status === 'skipped')).toHaveLength(60)
    expect(Math.max(...after.between)).toBe(1)
  })

  it('and gives the same with them as without, over random graphs', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const workflow = randomGraph(seed, 30)
      const digests = async (options = {}) => {
        const { nodes, status } = await new Workbench().run(workflow, options)
        return [status, Object.entries(nodes).map(([id, { outputs }]) => [id, outputs.out?.digest])]
      }
      expect(await digests({ pause: new Pauses().pause })).toEqual(await digests())
    }
  })

  it('in which a cancellation takes effect', async () => {
    const cancellation = new Cancellation()
    const bench = new Workbench({ ...arithmetic, Add: () => having(cancellation.request()) })
    const { status, nodes } = await bench.run(wide, { cancellation, pause: new Pauses().pause })
    expect(status).toBe('cancelled')
    const finalStatuses = Object.values(nodes).map(({ status }) => status)
    expect(finalStatuses.filter((status) => status === 'skipped').length).toBeGreaterThan(50)
    expect(finalStatuses).not.toContain('pending')
  })
})
