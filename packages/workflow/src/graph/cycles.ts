import type { Graph } from './graph.js'

/**
 * One cycle for each strongly connected set of nodes: a shortest one through the smallest id, as node ids, with the first one repeated at
 * the end. Linear in the size of the graph.
 */
export function findCycles(graph: Graph): string[][] {
  const component = stronglyConnected(graph)
  const members = new Map<number, number[]>()
  for (const [number, group] of component.entries()) {
    const list = members.get(group)
    if (list) list.push(number)
    else members.set(group, [number])
  }
  return [...members.values()]
    .filter((numbers) => numbers.length > 1)
    .map((numbers) => numbers[0] ?? 0)
    .sort((a, b) => a - b)
    .map((start) => shortestLoop(graph, component, start).map((number) => graph.nodes[number]?.id ?? ''))
}

/** Tarjan's algorithm with an explicit stack: component number by node. */
function stronglyConnected({ nodes, outgoing }: Graph): Int32Array {
  const UNSEEN = -1
  const component = new Int32Array(nodes.length).fill(UNSEEN)
  const index = new Int32Array(nodes.length).fill(UNSEEN)
  const low = new Int32Array(nodes.length)
  const nextEdge = new Int32Array(nodes.length)
  const open: number[] = []
  let seen = 0
  let components = 0

  const enter = (number: number, path: number[]) => {
    index[number] = low[number] = seen++
    open.push(number)
    path.push(number)
  }
  const lower = (number: number, to: number) => {
    if (to < (low[number] ?? 0)) low[number] = to
  }
  for (const root of nodes.keys()) {
    if (index[root] !== UNSEEN) continue
    const path: number[] = []
    enter(root, path)
    while (path.length > 0) {
      const current = path[path.length - 1] ?? root
      const edge = nextEdge[current] ?? 0
      const target = outgoing[current]?.[edge]
      if (target !== undefined) {
        nextEdge[current] = edge + 1
        if (index[target] === UNSEEN) enter(target, path)
        else if (component[target] === UNSEEN) lower(current, index[target] ?? 0)
        continue
      }
      path.pop()
      const parent = path[path.length - 1]
      if (parent !== undefined) lower(parent, low[current] ?? 0)
      if (low[current] !== index[current]) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = components
        if (member === current) break
      }
      components++
    }
  }
  return component
}

/** Breadth-first search from `start` within its component until an edge leads back to it. */
function shortestLoop({ outgoing }: Graph, component: Int32Array, start: number): number[] {
  const cameFrom = new Map<number, number>([[start, start]])
  const queue = [start]
  for (const current of queue) {
    for (const target of outgoing[current] ?? []) {
      if (target === start) return [...pathTo(current), start]
      if (component[target] !== component[start] || cameFrom.has(target)) continue
      cameFrom.set(target, current)
      queue.push(target)
    }
  }
  return []

  function pathTo(end: number): number[] {
    const path = [end]
    for (let index = end; index !== start; ) {
      index = cameFrom.get(index) ?? start
      path.push(index)
    }
    return path.reverse()
  }
}
