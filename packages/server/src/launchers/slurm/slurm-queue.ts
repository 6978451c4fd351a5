import { shareInFlight } from '../../concurrency/share-in-flight.js'
import { SLURM_ACCOUNTING_MILLISECONDS } from '../../durations.js'
import type { SlurmCommands, SlurmJob } from './slurm-commands.js'

export interface SlurmQueueOptions {
  readonly commands: Pick<SlurmCommands, 'jobs' | 'accounted'>
  readonly pollMilliseconds: number
}

/** All jobs from the output of one command. */
interface View {
  /** Time of the query: a job that was submitted earlier is included. */
  readonly requestedAt: number
  readonly jobs: ReadonlyMap<string, SlurmJob>
}

/** The jobs of the service in Slurm, queried together: one command per interval, however many jobs there are. */
export class SlurmQueue {
  #view: Promise<View> | undefined
  #requestedAt = Number.NEGATIVE_INFINITY
  readonly #missing = new Map<string, Missing>()

  constructor(readonly options: SlurmQueueOptions) {}

  /**
   * The job with this name; the first one if a lost answer caused two.
   * @param after a time of `performance.now()`: an earlier query does not prove that there is none
   * @returns null when neither the queue nor the accounting has it; "unknown" while that is not certain.
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
    if (view.requestedAt < after) view = await this.#renewed(after)
    return view.jobs.get(name) ?? this.#findEnded(name, view.requestedAt, submitted)
  }

  /** @param looked time of the query of the queue that does not contain it */
  async #findEnded(name: string, looked: number, submitted: Date): Promise<SlurmJob | null | 'unknown'> {
    const missing = this.#missing.get(name) ?? { since: looked, submitted }
    this.#missing.set(name, missing)
    const waited = looked - missing.since
    const ended = await this.#accounted().catch((error) => {
      if (waited < SLURM_ACCOUNTING_MILLISECONDS) throw error
      return null
    })
    const found = ended?.get(name)
    if (found && ENDS.test(found.state)) {
      this.#missing.delete(name)
      return found
    }
    // Without accounting, a second query has to be sufficient.
    if (waited < (ended === null ? this.options.pollMilliseconds : SLURM_ACCOUNTING_MILLISECONDS))
      return 'unknown'
    this.#missing.delete(name)
    return null
  }

  /** All missing jobs, with one command. */
  readonly #accounted = shareInFlight(async (): Promise<ReadonlyMap<string, SlurmJob> | null> => {
    await Promise.resolve()
    const times = [...this.#missing.values()].map(({ submitted }) => submitted.getTime())
    const jobs = await this.options.commands.accounted(
      [...this.#missing.keys()],
      new Date(Math.min(...times)),
    )
    return jobs && byName(jobs)
  })

  #current(): Promise<View> {
    const fresh = performance.now() - this.#requestedAt < this.options.pollMilliseconds
    return this.#view && fresh ? this.#view : this.#query()
  }

  #renewed(after: number): Promise<View> {
    return this.#view && this.#requestedAt >= after ? this.#view : this.#query()
  }

  #query(): Promise<View> {
    const requestedAt = performance.now()
    this.#requestedAt = requestedAt
    const view = this.options.commands.jobs().then((jobs) => ({ requestedAt, jobs: byName(jobs) }))
    this.#view = view
    return view
  }
}

interface Missing {
  /** Time of the first query of the queue that did not contain it. */
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
