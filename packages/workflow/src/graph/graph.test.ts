import { describe, expect, it } from 'vitest'
import { graph, randomGraph, workflowOf } from '../../testing/arithmetic.js'
import { Random } from '../../testing/random.js'
import { buildGraph, findCycles, topologicalOrder, withAncestors } from '../index.js'

const orderOf = (workflow: ReturnType<typeof graph>) => {
  const built = buildGraph(workflow)
  return topologicalOrder(built).map((number) => built.nodes[number]?.id)
}
const link = (source: string, target: string) => ({ source, source_port: 'out', target, target_port: 'in1' })
const chain = (length: number) => {
  const ids = Array.from({ length }, (_, i) => `n${i}`)
  return workflowOf(
    ids.map((id) => ({ id, type: 'Add', config: {} })),
    ids.slice(1).map((id, i) => link(ids[i] ?? '', id)),
  )
}

describe('topological order', () => {
  //  a ──► c ──► d
  //  b ────┘     ▲
  //  └───────────┘
  it('puts every node after those that feed it, and equals by id', () => {
    expect(orderOf(graph('b a > c > d, b > d'))).toEqual(['a', 'b', 'c', 'd'])
  })

  //  z ──► a     the id decides only between nodes that are ready
  it('follows dependence before ids', () => {
    expect(orderOf(graph('z > a, m'))).toEqual(['m', 'z', 'a'])
  })

  it('is the same whatever the order of the file', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const workflow = randomGraph(seed, 40)
      const random = new Random(seed)
      const shuffled = {
        ...workflow,
        nodes: random.shuffled(workflow.nodes),
        connections: random.shuffled(workflow.connections),
      }
      expect(orderOf(shuffled)).toEqual(orderOf(workflow))
    }
  })

  it('respects every connection of random graphs', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const workflow = randomGraph(seed, 60)
      const place = new Map(orderOf(workflow).map((id, i) => [id, i]))
      expect(place.size).toBe(60)
      for (const { source, target } of workflow.connections)
        expect(place.get(source)).toBeLessThan(place.get(target) ?? -1)
    }
  })

  //  a ──► b ⇄ c ──► d        e
  it('excludes a cycle and the nodes below it', () => {
    expect(orderOf(graph('a > b > c > b, c > d, e'))).toEqual(['a', 'e'])
  })

  // n0 ──► n1 ──► … ──► n49999
  it('takes a chain of 50,000 nodes without recursion', () => {
    const workflow = chain(50_000)
    expect(orderOf(workflow)).toHaveLength(50_000)
    const built = buildGraph(workflow)
    const end = built.numberOf.get('n49999') ?? -1
    expect(withAncestors(built, [end]).every((flag) => flag === 1)).toBe(true)
  })
})

describe('ancestors', () => {
  //  a ──► b ──► d
  //        └───► e      only a, b and e are needed for e
  //  c ──────────┘ (d)
  it('are what a target needs, itself included', () => {
    const built = buildGraph(graph('a > b > d e, c > d'))
    const flags = withAncestors(built, [built.numberOf.get('e') ?? -1])
    expect(built.nodes.filter((_, i) => flags[i]).map(({ id }) => id)).toEqual(['a', 'b', 'e'])
  })
})

describe('cycles', () => {
  const cyclesOf = (drawing: string) => findCycles(buildGraph(graph(drawing)))

  //  a ──► b ──► c ──► d
  //        ▲───────────┘
  it('name their path from the smallest id and back to it', () => {
    expect(cyclesOf('a > b > c > d > b')).toEqual([['b', 'c', 'd', 'b']])
  })

  //  a ──► b ──► c ──► d ──► a      and the short way  c ──► a
  it('are as short as can be', () => {
    expect(cyclesOf('a > b > c > d > a, c > a')).toEqual([['a', 'b', 'c', 'a']])
  })

  //  a ⇄ b ──► c ⇄ d      two that only touch are two
  it('are found separately, one for each knot', () => {
    expect(cyclesOf('a > b > a, b > c > d > c')).toEqual([
      ['a', 'b', 'a'],
      ['c', 'd', 'c'],
    ])
  })

  it('are absent from a directed acyclic graph', () => {
    for (let seed = 1; seed <= 20; seed++) expect(findCycles(buildGraph(randomGraph(seed, 50)))).toEqual([])
  })

  it('are found in a ring of 50,000 nodes', () => {
    const workflow = chain(50_000)
    workflow.connections.push({ id: 'back', ...link('n49999', 'n0') })
    expect(findCycles(buildGraph(workflow))[0]).toHaveLength(50_001)
  })
})
