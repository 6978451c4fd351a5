/** training.device, read. */
export interface Device {
  readonly kind: 'auto' | 'cpu' | 'mps' | 'cuda'
  readonly nodes: number
  /** On each node. */
  readonly processes: number
  /** The GPUs of one machine that are named, one for each process; null: whichever there is. */
  readonly numbers: readonly number[] | null
}

/** cpu, cpu:N (N processes), cuda:N, cuda:N,M (GPUs of one machine), cpu:NxM and cuda:NxM (N processes on each of M nodes). */
export const DEVICE =
  /^(auto|mps|cpu(:[1-9]\d?(x([2-9]|[1-9]\d))?)?|cuda(:\d{1,2}(,\d{1,2})*|:[1-9]\d?x([2-9]|[1-9]\d))?)$/

/** Reads what `DEVICE` accepts. */
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

/** Whether a training on this device is a group of processes. */
export function isGroup(device: string): boolean {
  const { nodes, processes } = readDevice(device)
  return nodes * processes > 1
}
