import { statfs } from 'node:fs/promises'
import { arch, cpus, freemem, platform, release, totalmem } from 'node:os'
import {
  inEnglish,
  type Phrase,
  type PreparedCache,
  type PreparedCacheCleared,
  phrase,
  type QueuePause,
  type SystemInfo,
} from '@medloom/contracts'
import { within } from '../concurrency/within.js'
import type { ServiceContext } from '../context.js'
import { SYSTEM_ANSWER_SECONDS } from '../durations.js'
import type { Capacity } from '../ports/launcher.js'
import { formatSize } from '../storage/size.js'
import { systemFault } from '../system-fault.js'
import { MEDLOOM_VERSION } from '../version.js'
import { listGpus } from './gpu.js'
import { PythonProbe } from './python-probe.js'

/** With less free space, a training would soon fail to save its checkpoint. */
const MIN_FREE_BYTES = 1024 ** 3

export interface Check {
  readonly ok: boolean
  readonly message: string
  /** Absent: the message has no phrases, such as that of an error. */
  readonly message_phrases?: Phrase[]
}

/** State of the machine and of the service. */
export class SystemService {
  private readonly probe: PythonProbe

  /**
   * @param queue reason why no job is started at the moment.
   * @param capacity devices and slots for training; a process that starts no trainings does not know them.
   */
  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'outputs' | 'pool' | 'settings'>,
    readonly queue: () => QueuePause | null,
    private readonly capacity?: () => Promise<Capacity>,
  ) {
    this.probe = new PythonProbe(context.pool)
  }

  /** Start to examine the Python environment, so that the first request finds the result. */
  warmUp(): void {
    void this.probe.state(0)
  }

  async info(): Promise<SystemInfo> {
    const [gpus, disk, python, cluster] = await Promise.all([
      listGpus(),
      this.disk(),
      this.probe.state(SYSTEM_ANSWER_SECONDS),
      this.cluster(),
    ])
    const devices = gpus ?? (python.known ? python.probe.cuda : [])
    const processors = cpus()
    return {
      gpu: {
        available: devices.length > 0,
        count: devices.length,
        devices: devices.map(({ id, name, memory_total_bytes, memory_used_bytes }) => ({
          id,
          name,
          memory_total: formatSize(memory_total_bytes),
          memory_used: formatSize(memory_used_bytes),
        })),
        mps: python.known && python.probe.mps,
      },
      disk: {
        total: formatSize(disk.total),
        used: formatSize(disk.used),
        free: formatSize(disk.free),
      },
      python_version: python.known ? python.probe.python_version : 'unknown',
      pytorch_version: python.known ? python.probe.pytorch_version : 'unknown',
      node_version: process.versions.node,
      medloom_version: MEDLOOM_VERSION,
      platform: `${platform()} ${release()} ${arch()}`,
      cpu: { count: processors.length, model: processors[0]?.model.trim() ?? 'unknown' },
      memory: { total: formatSize(totalmem()), free: formatSize(freemem()) },
      python_error: python.known ? null : python.error,
      trainings: { launcher: this.context.settings.launcher ?? 'local', cluster },
    }
  }

  /** A cluster may need a while to answer, or never answer. */
  private async cluster(): Promise<SystemInfo['trainings']['cluster']> {
    if (!this.capacity) return null
    const cluster = (await within(1000 * SYSTEM_ANSWER_SECONDS, this.capacity()))?.cluster
    return cluster ? { nodes: cluster.nodes.length, cpus: cluster.cpus, gpus: cluster.gpus } : null
  }

  /** Readiness to start work: database, disk, Python and its workers respond, and the queue is not paused. */
  async readiness(): Promise<Record<'database' | 'disk' | 'python' | 'workers' | 'queue', Check>> {
    const [shared, python] = await Promise.all([
      this.sharedReadiness(),
      this.probe.state(SYSTEM_ANSWER_SECONDS),
    ])
    return {
      ...shared,
      python: python.known
        ? state(
            true,
            phrase('python_versions', {
              python: python.probe.python_version,
              pytorch: python.probe.pytorch_version,
            }),
          )
        : { ok: false, message: python.error },
      workers: this.checkWorkers(),
    }
  }

  /** Readiness that every process of the service can check: database and disk respond, and the queue is not paused. */
  async sharedReadiness(): Promise<Record<'database' | 'disk' | 'queue', Check>> {
    const [database, disk] = await Promise.all([this.checkDatabase(), this.checkDisk()])
    return { database, disk, queue: this.checkQueue() }
  }

  /** Only the trainer knows which stores are in use. */
  preparedCache(): Promise<PreparedCache> {
    return this.context.pool.run('cache_state', { cache_dir: this.context.folder.cache })
  }

  clearPreparedCache(): Promise<PreparedCacheCleared> {
    return this.context.pool.run('cache_clear', { cache_dir: this.context.folder.cache })
  }

  private checkQueue(): Check {
    const pause = this.queue()
    return pause
      ? { ok: false, message: `paused: ${pause.message}. ${pause.remedy} Next attempt at ${pause.retry_at}` }
      : state(true, phrase('jobs_started'))
  }

  private async checkDatabase(): Promise<Check> {
    try {
      await this.context.database.confirmWritable()
      return state(true, phrase('database_responds'))
    } catch (error) {
      return failed(error, phrase('database_silent'))
    }
  }

  private checkWorkers(): Check {
    const problem = this.context.pool.problem()
    return problem === null ? state(true, phrase('workers_accept')) : { ok: false, message: problem }
  }

  private async checkDisk(): Promise<Check> {
    try {
      await this.context.folder.confirm()
      await this.context.folder.confirmWritable()
      await this.context.outputs.confirm()
      const { free } = await this.disk()
      const size = formatSize(free)
      return free >= MIN_FREE_BYTES
        ? state(true, phrase('free_space', { size }))
        : state(false, phrase('free_space_needed', { size, needed: formatSize(MIN_FREE_BYTES) }))
    } catch (error) {
      return failed(error, phrase('no_data_folder'))
    }
  }

  /**
   * Disk space of the file system with the data folder. "free" is the space available to this process; the share reserved for root counts
   * neither as free nor as used.
   */
  private async disk(): Promise<{ total: number; used: number; free: number }> {
    const { bsize, blocks, bfree, bavail } = await statfs(this.context.folder.path)
    return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize }
  }
}

function failed(error: unknown, otherwise: Phrase): Check {
  const fault = systemFault(error)
  return fault ? { ok: false, message: `${fault.message}. ${fault.details}` } : state(false, otherwise)
}

/** State of a component in a phrase, for other languages. */
function state(ok: boolean, given: Phrase): Check {
  return { ok, message: inEnglish([given]), message_phrases: [given] }
}
