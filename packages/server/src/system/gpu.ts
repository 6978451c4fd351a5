import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface GpuDevice {
  readonly id: number
  readonly name: string
  readonly memory_total_bytes: number
  readonly memory_used_bytes: number
}

const run = promisify(execFile)
const MIB = 1024 * 1024

/** The NVIDIA devices of this machine, or undefined when nvidia-smi is absent or does not respond in time. */
export async function listGpus(command = 'nvidia-smi'): Promise<GpuDevice[] | undefined> {
  try {
    const { stdout } = await run(
      command,
      ['--query-gpu=index,name,memory.total,memory.used', '--format=csv,noheader,nounits'],
      { timeout: 3000, killSignal: 'SIGKILL' },
    )
    return parseGpus(stdout)
  } catch {
    return undefined
  }
}

/** One line per device: `0, NVIDIA H200, 143771, 4`; memory in MiB. A value that a device does not report ("[N/A]") is 0. */
export function parseGpus(csv: string): GpuDevice[] {
  return csv
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter((cells) => cells.length >= 4 && /^\d+$/.test(cells[0] ?? ''))
    .map((cells) => ({
      id: Number(cells[0]),
      name: cells.slice(1, -2).join(', '),
      memory_total_bytes: (Number(cells.at(-2)) || 0) * MIB,
      memory_used_bytes: (Number(cells.at(-1)) || 0) * MIB,
    }))
}
