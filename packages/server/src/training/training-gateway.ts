import {
  type FineTunedFrom,
  isTerminal,
  type Job,
  type JobMessage,
  type JobResponse,
  type TimeEstimate,
  type TrainingConfig,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import type { Remember } from '../http/idempotency/idempotency.js'
import type { FanOut, Follower } from '../live/fan-out.js'
import type { TimeEstimates } from './estimate/time-estimates.js'
import type { JobControl } from './job-control.js'
import type { JobReader } from './job-reader.js'
import type { TrainingRepository } from './training.repository.js'
import type { AskedTraining, PlaceInStudy, TrainingService } from './training.service.js'

/** Interface of training for the rest of the service: ordinary jobs, followed within the process. */
export interface TrainingGateway {
  /** Accept a job whose tables are already in its run directory; `within` is part of the same transaction. */
  begin(job: NewTraining, within: (transaction: Transaction<Tables>) => Promise<void>): Promise<void>
  /** Accept a training of a study; `within` is part of the same transaction. @throws AppError like the start of a job. */
  start(
    training: AskedTraining & PlaceInStudy,
    within: (transaction: Transaction<Tables>, jobId: string) => Promise<void>,
  ): Promise<string>
  /** The configuration with absolute paths. @throws AppError with the reason for which a start would be refused. */
  check(config: TrainingConfig): Promise<TrainingConfig>
  /** Estimated duration; `cases`: number of training cases, null while it is not known. */
  estimate(config: TrainingConfig, cases: number | null): Promise<TimeEstimate>
  /** A new job of this owner that continues a stopped or failed one. */
  resume(
    jobId: string,
    within: (transaction: Transaction<Tables>, jobId: string) => Promise<void>,
    resumption: Pick<NewTraining, 'owner'> & Partial<PlaceInStudy>,
  ): Promise<string>
  job(jobId: string): Promise<Job>
  stop(jobId: string): Promise<void>
  /** Passes on every message from now on, until the job has ended or `signal` aborts. */
  follow(jobId: string, listener: (message: JobMessage) => void, signal: AbortSignal): Promise<void>
}

export interface NewTraining {
  readonly job_id: string
  readonly job_name: string
  readonly config: TrainingConfig
  readonly epoch: number
  readonly resumed_from: string | null
  readonly fine_tuned_from: FineTunedFrom | null
  readonly owner: string | null
}

interface GatewayParts {
  readonly reader: JobReader
  readonly repository: TrainingRepository
  readonly fanOut: FanOut
  readonly estimates: TimeEstimates
}

export function createTrainingGateway(
  service: TrainingService,
  control: Pick<JobControl, 'stop'>,
  { reader, repository, fanOut, estimates }: GatewayParts,
): TrainingGateway {
  return {
    async begin(job, within) {
      await service.begin(job, within)
    },
    async start(training, within) {
      const answer = await service.start(training, accepting(within))
      return answer.job_id
    },
    async check(config) {
      return (await service.check(config)).config
    },
    estimate: (config, cases) => estimates.estimate(config, cases),
    async resume(jobId, within, resumption) {
      const answer = await service.resume(jobId, accepting(within), resumption)
      return answer.job_id
    },
    job: (jobId) => reader.status(jobId),
    async stop(jobId) {
      await control.stop(jobId)
    },
    async follow(jobId, listener, signal) {
      while (!signal.aborted && !(await followOnce(jobId, listener, signal, repository, fanOut))) {
        // A message was published between reading the job and joining: read again.
      }
    },
  }
}

/** The response to an accepted job contains its id. */
function accepting(within: (transaction: Transaction<Tables>, jobId: string) => Promise<void>): Remember {
  return (transaction, answer) => within(transaction, (answer as JobResponse).job_id)
}

/** True once the job has ended or following was aborted. */
async function followOnce(
  jobId: string,
  listener: (message: JobMessage) => void,
  signal: AbortSignal,
  repository: TrainingRepository,
  fanOut: FanOut,
): Promise<boolean> {
  let ended = () => {}
  const end = new Promise<void>((done) => {
    ended = done
  })
  const follower: Follower = {
    cursor: 0,
    buffered: () => 0,
    send: (messages) => {
      for (const message of messages) listener(JSON.parse(message.toString('utf8')))
    },
    close: () => ended(),
  }
  const { join, leave } = fanOut.watch(jobId, follower)
  signal.addEventListener('abort', ended)
  try {
    const job = await repository.find(jobId)
    if (!job || isTerminal(job.status)) return true
    follower.cursor = job.last_seq
    if (!join()) return false
    await end
    return true
  } finally {
    signal.removeEventListener('abort', ended)
    leave()
  }
}
