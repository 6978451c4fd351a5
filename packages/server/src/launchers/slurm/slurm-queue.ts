import type { SlurmCommands, SlurmJob } from './slurm-commands.js'

export interface SlurmQueueOptions {
  readonly commands: Pick<SlurmCommands, 'jobs' | 'accounted'>
  readonly pollMilliseconds: number
}

/** All jobs as one command has given them. */
interface View {
  /** When it was asked for: a job that was submitted before is in it. */
  readonly asked: number
  readonly jobs: ReadonlyMap<string, SlurmJob>
}

/** For so long the accounting may not know yet how a job ended that the controller has forgotten. */
const ACCOUNTING_MILLISECONDS = 60_000

/** The jobs of the service in Slurm, asked for together: one command in an interval, however many there are. */
export class SlurmQueue {
  #view: Promise<View> | undefined
  #asked = Number.NEGATIVE_INFINITY
  readonly #missing = new Map<string, Missing>()
  #accounting: Promise<ReadonlyMap<string, SlurmJob> | null> | undefined

  constructor(readonly options: SlurmQueueOptions) {}

  /**
   * The job of this name; of two, which a lost answer may leave, the first.
   * @param after a time of `performance.now()`: what was asked for before does not tell that there is none
   * @returns null when there is none, and none that the accounting knows; "unknown" while that is not certain.
   */
  async find(
    name: string,
    { after, submitted }: { after: number; submitted: Date },
  ): Promise<SlurmJob | null | 'unknown'> {
    let view = await this.#current()
    const found = view.jobs.get(name)
    if (found) {
      this.#missing.delete(name)
      return found
    }
    if (view.asked < after) view = await this.#renewed(after)
    return view.jobs.get(name) ?? this.#findEnded(name, view.asked, submitted)
  }

  /** @param looked when the queue was asked that does not have it */
  async #findEnded(name: string, looked: number, submitted: Date): Promise<SlurmJob | null | 'unknown'> {
    const missing = this.#missing.get(name) ?? { since: looked, submitted }
    this.#missing.set(name, missing)
    this.#accounting ??= this.#askAccounting().finally(() => {
      this.#accounting = undefined
    })
    const waited = looked - missing.since
    const ended = await this.#accounting.catch((error) => {
      if (waited < ACCOUNTING_MILLISECONDS) throw error
      return null
    })
    const found = ended?.get(name)
    if (found && ENDS.test(found.state)) {
      this.#missing.delete(name)
      return found
    }
    // Without accounting a second look has to do.
    if (waited < (ended === null ? this.options.pollMilliseconds : ACCOUNTING_MILLISECONDS)) return 'unknown'
    this.#missing.delete(name)
    return null
  }

  /** All that are missing, with one command. */
  async #askAccounting(): Promise<ReadonlyMap<string, SlurmJob> | null> {
    await Promise.resolve()
    const times = [...this.#missing.values()].map(({ submitted }) => submitted.getTime())
    const jobs = await this.options.commands.accounted(
      [...this.#missing.keys()],
      new Date(Math.min(...times)),
    )
    return jobs && byName(jobs)
  }

  #current(): Promise<View> {
    const fresh = performance.now() - this.#asked < this.options.pollMilliseconds
    return this.#view && fresh ? this.#view : this.#ask()
  }

  #renewed(after: number): Promise<View> {
    return this.#view && this.#asked >= after ? this.#view : this.#ask()
  }

  #ask(): Promise<View> {
    const asked = performance.now()
    this.#asked = asked
    const view = this.options.commands.jobs().then((jobs) => ({ asked, jobs: byName(jobs) }))
    this.#view = view
    return view
  }
}

interface Missing {
  /** When the queue was first asked that did not have it. */
  readonly since: number
  readonly submitted: Date
}

const ENDS =
  /^(BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|REVOKED|TIMEOUT)/

function byName(jobs: readonly SlurmJob[]): Map<string, SlurmJob> {
  const found = new Map<string, SlurmJob>()
  for (const job of jobs) {
    const other = found.get(job.name)
    if (!other || Number(job.id) < Number(other.id)) found.set(job.name, job)
  }
  return found
}
