import type { Workflow } from '@medloom/contracts'

const COLUMN = { width: 310, height: 200 } as const

/** A very large workflow in a square of columns: each node splits the output of the node to its left. @param csv loaded by the first nodes */
export function manyNodes(count: number, csv: string): Workflow {
  const rows = Math.ceil(Math.sqrt(count))
  const first = (index: number) => index < rows
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `node-${index}`,
    type: first(index) ? 'LoadDataset' : 'DataSplit',
    position: { x: Math.floor(index / rows) * COLUMN.width, y: (index % rows) * COLUMN.height },
    config: first(index) ? { dataset_id: csv } : {},
  }))
  const connections = nodes.slice(rows).map(({ id }, index) => ({
    id: `wire-${index}`,
    source: `node-${index}`,
    source_port: first(index) ? 'dataset' : 'train_dataset',
    target: id,
    target_port: 'dataset',
  }))
  return {
    version: '1.1',
    metadata: { name: `${count} nodes`, description: '', author: '', tags: [] },
    nodes,
    connections,
    execution_history: [],
  }
}
