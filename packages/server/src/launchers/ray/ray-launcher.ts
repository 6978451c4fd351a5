import { phrase } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../../errors.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
} from '../../ports/launcher.js'
import { assertFits } from '../assert-fits.js'
import { unknownTrainer } from '../polled-trainer.js'
import { SubmittedTrainers } from '../submitted-trainers.js'
import { trainerCommand } from '../trainer-command.js'
import { warnOfOpenDashboard } from './open-dashboard.js'
import { RayCapacity } from './ray-capacity.js'
import { type RayHttpOptions, RayUnreachable } from './ray-http.js'
import { RayJobs, type RaySubmission } from './ray-jobs.js'
import { Submitting } from './ray-submission.js'
import { RayHandle, rayTrainer } from './ray-trainer.js'

export interface RayLauncherOptions extends RayHttpOptions {
  /** The Python interpreter with the trainer, on every node. */
  readonly python: string
  readonly maxJobs: number | null
  /** Time that a trainer gets to save its checkpoint, whoever stops its job. */
  readonly stopGraceSeconds: number
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** For tests. */
  readonly pollMilliseconds?: number
  readonly arrivalMilliseconds?: number
}

/**
 * Trainers as jobs of a Ray cluster, which places and runs them. Ray's own queue is not used, since it is lost with its head and waiting
 * jobs cannot be stopped: only jobs that fit into the cluster are submitted.
 */
export class RayLauncher implements Launcher {
  readonly isCluster = true
  readonly #jobs: RayJobs
  readonly #capacity: RayCapacity
  readonly #submitted = new SubmittedTrainers((handle) => this.attach(handle))
  readonly #submitting = new Set<Submitting>()

  constructor(readonly options: RayLauncherOptions) {
    this.#jobs = new RayJobs(options)
    this.#capacity = new RayCapacity(this.#jobs)
  }

  async capacity(): Promise<Capacity> {
    const cluster = await this.#capacity.cluster().catch(unreachable)
    return { accelerators: [], maxJobs: this.options.maxJobs, cluster }
  }

  submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    return this.#submitted.submit(order, () => this.#start(order, record))
  }

  attach(handle: TrainerHandle): RunningTrainer {
    const own = RayHandle.safeParse(handle)
    return own.success ? rayTrainer(own.data, this.#trainerOptions()) : unknownTrainer(handle)
  }

  start(): void {
    void warnOfOpenDashboard(this.options.address, this.options.log)
  }

  close(): void {
    for (const submitting of this.#submitting) submitting.giveUp()
  }

  /** The name of the submission is recorded before it is sent to Ray. */
  async #start(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    if (order.token !== undefined && order.resources.nodes > 1)
      throw new AppError(
        'DEVICE_UNAVAILABLE',
        phrase('several_nodes_without_folder'),
        phrase('one_node_or_folder'),
      )
    assertFits(order.resources, await this.#capacity.cluster().catch(unreachable))
    const { session_name: session } = await this.#jobs.version().catch(unreachable)
    const submission = submissionOf(order, this.options)
    const handle: RayHandle = { launcher: 'ray', submission_id: submission.submission_id, session }
    if (!(await record(handle, 'pending'))) return null
    const submitting = new Submitting(submission, this.#jobs, this.options.log)
    this.#submitting.add(submitting)
    void submitting.done.then(() => this.#submitting.delete(submitting))
    return rayTrainer(handle, this.#trainerOptions(), submitting)
  }

  #trainerOptions() {
    const { pollMilliseconds, arrivalMilliseconds } = this.options
    return { jobs: this.#jobs, pollMilliseconds, arrivalMilliseconds }
  }
}

function submissionOf(
  order: TrainerOrder,
  { python, stopGraceSeconds }: Pick<RayLauncherOptions, 'python' | 'stopGraceSeconds'>,
): RaySubmission {
  const { job_id, attempt, resources } = order
  const { argv, environment } = trainerCommand(python, order)
  return {
    submission_id: `${job_id}-${attempt}`,
    // exec: otherwise a shell receives the signal for the trainer.
    entrypoint: `exec ${argv.map(quoted).join(' ')}`,
    runtime_env: {
      env_vars: {
        ...environment,
        RAY_JOB_STOP_WAIT_TIME_S: String(Math.max(1, stopGraceSeconds)),
        // Otherwise Ray drops repeated lines.
        RAY_DEDUP_LOGS: '0',
      },
    },
    metadata: { medloom_job: job_id, medloom_attempt: String(attempt) },
    // The process that starts a group needs no resources: the processes that it starts do.
    ...(resources.nodes > 1
      ? {}
      : { entrypoint_num_cpus: resources.cpus, entrypoint_num_gpus: resources.gpus }),
  }
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function unreachable(error: unknown): never {
  if (!(error instanceof RayUnreachable)) throw error
  throw new AppError('CLUSTER_UNREACHABLE', phrase('ray_unusable', { reason: error.message }))
}
