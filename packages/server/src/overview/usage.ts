import { statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import type { QueuePause, ServiceUsage } from '@medloom/contracts'
import type { Capacity } from '../ports/launcher.js'
import { slotsOf } from '../ports/slots.js'
import { type GpuDevice, listGpus } from '../system/gpu.js'
import type { CountsRepository } from './counts.repository.js'

export interface UsageOptions {
  readonly counts: CountsRepository
  readonly capacity: () => Promise<Capacity>
  readonly pause: () => QueuePause | null
  /** The data folder. */
  readonly folder: string
}

/** Resource usage of the machine and of the service. */
export class UsageReader {
  #cpu: { busy: number; all: number } | undefined
  #capacity: Capacity | undefined
  #noGpus = false

  constructor(private readonly options: UsageOptions) {
    // The launcher may need a while to determine it; until then the slots are not known.
    void options.capacity().then((capacity) => {
      this.#capacity = capacity
    })
  }

  async read(): Promise<ServiceUsage> {
    const { counts, pause, folder } = this.options
    const [counted, disk, gpus] = await Promise.all([
      counts.read(),
      statfs(folder).catch(() => null),
      this.#gpus(),
    ])
    return {
      slots: { used: counted.jobs.running, total: this.#slots() },
      queue: { waiting: counted.jobs.started, pause: pause() },
      cpu: { percent: this.#cpuPercent(), count: cpus().length },
      memory: { total_bytes: totalmem(), free_bytes: freemem() },
      disk: disk && { total_bytes: disk.blocks * disk.bsize, free_bytes: disk.bavail * disk.bsize },
      gpus,
      counts: counted,
    }
  }

  #slots(): number | null {
    return this.#capacity ? slotsOf(this.#capacity) : null
  }

  /** A machine without the driver's tool is not queried again. */
  async #gpus(): Promise<GpuDevice[]> {
    if (this.#noGpus) return []
    const found = await listGpus()
    this.#noGpus = found === undefined
    return found ?? []
  }

  /** Usage since the last call. */
  #cpuPercent(): number | null {
    const times = cpus().map(({ times }) => times)
    const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
    const busy = all - times.reduce((sum, { idle }) => sum + idle, 0)
    const before = this.#cpu
    this.#cpu = { busy, all }
    if (!before || all === before.all) return null
    return Math.round((1000 * (busy - before.busy)) / (all - before.all)) / 10
  }
}
