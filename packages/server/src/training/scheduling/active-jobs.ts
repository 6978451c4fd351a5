import type { AppError } from '../../errors.js'
import { environmentFault } from './environment-fault.js'
import type { Grant } from './grant.js'
import { JobRun, type JobRunOptions } from './job-run.js'

/** The jobs whose trainer runs or is being started. */
export class ActiveJobs {
  readonly #runs = new Map<string, JobRun>()

  constructor(readonly options: JobRunOptions) {}

  get(jobId: string): JobRun | undefined {
    return this.#runs.get(jobId)
  }

  /** Resolves once the job has freed its slot, with the fault of the machine if it could not be started. Never rejects. */
  async run(jobId: string, grant: Grant | null): Promise<AppError | null> {
    const run = new JobRun(jobId, this.options)
    this.#runs.set(jobId, run)
    try {
      return await run.run(grant)
    } catch (error) {
      this.options.log.error(
        { err: error, job_id: jobId },
        'a job is no longer monitored; monitoring resumes when the fault is fixed or the service restarts',
      )
      return environmentFault(error)
    } finally {
      this.#runs.delete(jobId)
    }
  }

  /** Trainings continue; the next service adopts them. */
  detach(): void {
    for (const run of this.#runs.values()) run.detach()
  }
}
