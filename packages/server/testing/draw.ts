import type { Workflow } from '@medloom/contracts'

/** id → type and config. */
export type Drawn = Record<string, readonly [type: string, config?: Record<string, unknown>]>

/** A saved workflow; wires are written "load.dataframe > keep.dataset". */
export function draw(nodes: Drawn, wires: readonly string[] = [], name = 'drawn'): Workflow {
  return {
    version: '1.1',
    metadata: { name, description: '', author: '', tags: [] },
    nodes: Object.entries(nodes).map(([id, [type, config = {}]], i) => ({
      id,
      type,
      position: { x: 200 * i, y: 0 },
      config,
    })),
    connections: wires.map((wire, i) => {
      const [, source = '', source_port = '', target = '', target_port = ''] =
        /^(\S+)\.(\w+) > (\S+)\.(\w+)$/.exec(wire) ?? []
      return { id: `c${i + 1}`, source, source_port, target, target_port }
    }),
    execution_history: [],
  }
}
