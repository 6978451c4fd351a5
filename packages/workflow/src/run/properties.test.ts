import type { Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { expected, graph, randomGraph, validated } from '../../testing/arithmetic.js'
import { Random } from '../../testing/random.js'
import { Workbench } from '../../testing/workbench.js'
import { plan } from '../index.js'

/** Digest of every output of a run. */
async function digests(bench: Workbench, workflow: Workflow, options = {}): Promise<Record<string, string>> {
  const { nodes, status } = await bench.run(workflow, options)
  expect(status).toBe('success')
  return Object.fromEntries(Object.entries(nodes).map(([id, { outputs }]) => [id, outputs.out?.digest ?? '']))
}
const oracle = (workflow: Workflow) =>
  Object.fromEntries(
    Object.entries(expected(workflow)).map(([id, value]) => [id, `digest of ${JSON.stringify(value)}`]),
  )

/** One small edit of a workflow. */
function edited(workflow: Workflow, random: Random): Workflow {
  const chosen = random.pick(workflow.nodes)
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) =>
      node !== chosen
        ? node
        : {
            ...node,
            config: node.type === 'Number' ? { value: random.below(10) } : { offset: random.below(5) },
          },
    ),
  }
}

describe('over random graphs', () => {
  it('a run gives what the naive oracle gives', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const workflow = randomGraph(seed, 30)
      expect(await digests(new Workbench(), workflow)).toEqual(oracle(workflow))
    }
  })

  it('an incremental run equals a full one, byte for byte, after every edit of a long series', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = new Random(seed)
      const bench = new Workbench()
      let workflow = randomGraph(seed, 25)
      for (let edit = 0; edit < 15; edit++) {
        workflow = edited(workflow, random)
        expect(await digests(bench, workflow)).toEqual(oracle(workflow))
      }
    }
  })

  it('executes each node once in a full run and none in the next', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const bench = new Workbench()
      const workflow = randomGraph(seed, 30)
      const ids = workflow.nodes.map(({ id }) => id).sort()
      expect(await bench.executedBy(workflow)).toEqual(ids)
      expect(await bench.executedBy(workflow)).toEqual([])
    }
  })

  it('executes after an edit exactly the nodes that see another input or config than before', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed)
      const bench = new Workbench()
      const before = randomGraph(seed, 30)
      await bench.run(before)
      const after = edited(before, random)
      const [was, is] = [expected(before), expected(after)]
      const sees = ({ id, config }: Workflow['nodes'][number]) =>
        JSON.stringify(config) !== JSON.stringify(before.nodes.find((node) => node.id === id)?.config) ||
        after.connections.some(({ source, target }) => target === id && was[source] !== is[source])
      expect(await bench.executedBy(after)).toEqual(
        after.nodes
          .filter(sees)
          .map(({ id }) => id)
          .sort(),
      )
    }
  })

  it('never executes a node that its plan reuses, nor one that its plan skips', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed)
      const bench = new Workbench()
      const before = randomGraph(seed, 30)
      await bench.run(before)
      const workflow = edited(before, random)
      const request = {
        targets: random
          .shuffled(workflow.nodes)
          .slice(0, 4)
          .map(({ id }) => id),
        force: random
          .shuffled(workflow.nodes)
          .slice(0, 2)
          .map(({ id }) => id),
      }
      const planned = await plan(validated(workflow), request, { cache: bench.cache })
      const mayRun = planned.ok
        ? planned.steps.filter(({ action }) => action === 'run').map(({ node }) => node)
        : []
      const ran = await bench.executedBy(workflow, request)
      for (const node of ran) expect(mayRun).toContain(node)
      for (const step of planned.ok ? planned.steps : [])
        if (step.reason === 'forced' || step.reason === 'never_run') expect(ran).toContain(step.node)
    }
  })

  it('a cache that forgets at random changes no result', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed)
      const bench = new Workbench(undefined, { maxEntries: 5 + random.below(10) })
      let workflow = randomGraph(seed, 25)
      for (let edit = 0; edit < 6; edit++) {
        workflow = edited(workflow, random)
        expect(await digests(bench, workflow)).toEqual(oracle(workflow))
      }
    }
  })
})

//  a ──► b ──► c ──► d      b is modulo 7: another a may leave b as it was
it('a node that gives the same bytes again leaves everything below it cached', async () => {
  const bench = new Workbench()
  await bench.run(graph('a > b > c > d'))
  expect(await bench.executedBy(graph('a > b > c > d', { a: { value: 8 } }))).toEqual(['a', 'b'])
  expect(await bench.executedBy(graph('a > b > c > d', { a: { value: 9 } }))).toEqual(['a', 'b', 'c', 'd'])
})
