/** How large nodes are drawn, in pixels. It follows from the ports, so that nothing has to be measured before a node has its place. */
export const NODE_SIZE = { width: 220, head: 52, row: 28, foot: 36 } as const

/** Between the nodes of a row, and of a column. */
export const NODE_GAP = { columns: 90, rows: 36 } as const

interface Ports {
  readonly inputs: readonly unknown[]
  readonly outputs: readonly unknown[]
}

export function nodeSize({ inputs, outputs }: Ports): { readonly width: number; readonly height: number } {
  const { width, head, row, foot } = NODE_SIZE
  return { width, height: head + Math.max(inputs.length, outputs.length, 1) * row + foot }
}
