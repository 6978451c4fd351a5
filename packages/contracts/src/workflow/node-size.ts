/** Size of node cards in pixels. It is computed from the ports, so that nodes can be placed without measurement. */
export const NODE_SIZE = { width: 220, head: 52, row: 28, foot: 36 } as const

/** Gaps between columns and between rows of nodes. */
export const NODE_GAP = { columns: 90, rows: 36 } as const

interface Ports {
  readonly inputs: readonly unknown[]
  readonly outputs: readonly unknown[]
}

export function nodeSize({ inputs, outputs }: Ports): { readonly width: number; readonly height: number } {
  const { width, head, row, foot } = NODE_SIZE
  return { width, height: head + Math.max(inputs.length, outputs.length, 1) * row + foot }
}
