/** Parsed value of training.device. */
export interface Device {
  readonly kind: 'auto' | 'cpu' | 'mps' | 'cuda'
  readonly nodes: number
  /** Processes on each node. */
  readonly processes: number
  /** GPU numbers on a single machine, one per process; null: any GPUs. */
  readonly numbers: readonly number[] | null
}

/** cpu, cpu:N (N processes), cuda:N, cuda:N,M (GPUs of one machine), cpu:NxM and cuda:NxM (N processes on each of M nodes). */
export const DEVICE =
  /^(auto|mps|cpu(:[1-9]\d?(x([2-9]|[1-9]\d))?)?|cuda(:\d{1,2}(,\d{1,2})*|:[1-9]\d?x([2-9]|[1-9]\d))?)$/

/** Parses a text that matches `DEVICE`. */
export function readDevice(text: string): Device {
  const [kind = 'auto', rest = ''] = text.split(':') as [Device['kind'], string?]
  const [, processes, nodes] = /^(\d+)x(\d+)$/.exec(rest) ?? []
  if (nodes !== undefined) return { kind, nodes: Number(nodes), processes: Number(processes), numbers: null }
  if (kind === 'cuda' && rest !== '') {
    const numbers = rest.split(',').map(Number)
    return { kind, nodes: 1, processes: numbers.length, numbers }
  }
  return { kind, nodes: 1, processes: Number(rest || 1), numbers: null }
}

/** Reports whether a training on this device uses several processes. */
export function isGroup(device: string): boolean {
  const { nodes, processes } = readDevice(device)
  return nodes * processes > 1
}
