import type { Workflow } from '@medloom/contracts'

/** Nodes of one kind, so that only the shape differs: each takes and returns images. */
export const PASS = 'ImagePreprocess'
export const MERGE = 'MergeDatasets'

/** n0 ─► n1 ─► n2 ─► … */
export function chain(size: number, dataset = 'd'): Workflow {
  return workflow(size, (i) => (i === 0 ? [] : [i - 1]), dataset)
}

/** Rows of ten; every node uses the one above it and its neighbor. */
export function lattice(size: number): Workflow {
  return workflow(size, (i) => (i < 10 ? [] : [i - 10, i % 10 === 9 ? i - 19 : i - 9]))
}

/** Stacked diamonds, each as wide as necessary: 2^18 paths lead from the top to the bottom of 18 of them. */
export function diamonds(size: number, stacked = 18): Workflow {
  const width = Math.floor((size - 1) / stacked) - 1
  return workflow(stacked * (width + 1) + 1, (i) => {
    if (i === 0) return []
    const place = (i - 1) % (width + 1)
    const top = i - 1 - place
    return place < width ? [top] : [i - width, i - 1]
  })
}

function workflow(size: number, feeders: (i: number) => number[], dataset = 'd'): Workflow {
  const nodes: Workflow['nodes'] = []
  const connections: Workflow['connections'] = []
  for (let i = 0; i < size; i++) {
    const fed = feeders(i)
    const type = fed.length === 0 ? 'LoadDataset' : fed.length === 1 ? PASS : MERGE
    const config = type === 'LoadDataset' ? { dataset_id: dataset } : {}
    nodes.push({ id: `n${i}`, type, position: { x: 0, y: i }, config })
    fed.forEach((source, port) => {
      connections.push({
        id: `c${connections.length}`,
        source: `n${source}`,
        source_port: { LoadDataset: 'dataset', [PASS]: 'processed_images', [MERGE]: 'merged_dataset' }[
          nodes[source]?.type ?? ''
        ] as string,
        target: `n${i}`,
        target_port: type === PASS ? 'images' : `dataset${port + 1}`,
      })
    })
  }
  const metadata = { name: 'bench', description: '', author: '', tags: [] }
  return { version: '1.1', metadata, nodes, connections, execution_history: [] }
}

export const SHAPES = { chain, lattice, 'diamonds, 18 stacked': diamonds }
