import { polledTrainer, unknownTrainer } from '../../packages/server/src/launchers/polled-trainer.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
} from '../../packages/server/src/ports/launcher.js'

export interface SimulatedTrainer {
  readonly id: string
  readonly spec: string
  readonly attempt: number
}

export interface SimulatedLauncherOptions {
  readonly maxJobs: number
  /** Called when a trainer must be simulated from here on. */
  readonly begin: (trainer: SimulatedTrainer) => void
}

export const LAUNCHER = 'simulated'

export function idOf(jobId: string, attempt: number): string {
  return `${jobId}-${attempt}`
}

/** Trainers that another process simulates. Their states are polled, like those of a cluster. */
export class SimulatedLauncher implements Launcher {
  readonly #ended = new Set<string>()
  /** Time at which a free slot was observed without a submitted trainer, in milliseconds on the process clock. */
  readonly #freed: number[] = []
  /** Milliseconds from a free slot until the next trainer was submitted, when its spec is on the disk. */
  readonly refills: number[] = []

  constructor(private readonly options: SimulatedLauncherOptions) {}

  async capacity(): Promise<Capacity> {
    return { accelerators: [], maxJobs: this.options.maxJobs }
  }

  async submit(
    { job_id, attempt, spec }: TrainerOrder,
    record: RecordHandle,
  ): Promise<RunningTrainer | null> {
    const freed = this.#freed.shift()
    if (freed !== undefined) this.refills.push(performance.now() - freed)
    const id = idOf(job_id, attempt)
    const handle = { launcher: LAUNCHER, id }
    if (!(await record(handle, 'running'))) return null
    this.options.begin({ id, spec, attempt })
    return this.attach(handle)
  }

  attach(handle: TrainerHandle): RunningTrainer {
    if (handle.launcher !== LAUNCHER) return unknownTrainer(handle)
    const id = String(handle.id)
    return polledTrainer({
      handle,
      look: async () => (this.#ended.has(id) ? 'gone' : 'running'),
      ending: () => {
        this.#freed.push(performance.now())
        return { english: 'it was ended by the bench' }
      },
      stop: async () => this.end(id),
      kill: async () => this.end(id),
    })
  }

  end(id: string): void {
    this.#ended.add(id)
  }

  start(): void {}
  close(): void {}
}
