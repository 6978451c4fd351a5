import { existsSync } from 'node:fs'
import type { TaskPool } from '../../ports/task-pool.js'

/** Device files of the kernel that CUDA or ROCm need: without them PyTorch is not queried. */
const DEVICE_FILES = ['/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg', '/dev/kfd']

/**
 * Names of the accelerators in the numbering of PyTorch: cuda:0, cuda:1, … or mps. Empty when there is none, or when they cannot be listed.
 */
export async function findAccelerators(pool: Pick<TaskPool, 'run'>): Promise<string[]> {
  if (process.platform === 'linux' && !DEVICE_FILES.some((file) => existsSync(file))) return []
  try {
    const { cuda, mps } = await pool.run('probe', {})
    return cuda.length > 0 ? cuda.map(({ id }) => `cuda:${id}`) : mps ? ['mps'] : []
  } catch {
    return []
  }
}
