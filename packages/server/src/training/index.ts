import { JOB_STATUSES, type Job } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import type { Capacity, Launcher } from '../launchers/launcher.js'
import { registerModel } from '../models/models.repository.js'
import { writeRunReport } from '../reports/run-reports.js'
import { StoredPaths } from './configuration/stored-paths.js'
import { EventIngest } from './events/event-ingest.js'
import { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import { ActiveJobs } from './scheduling/active-jobs.js'
import { askCapacity } from './scheduling/capacity.js'
import { wasSubmitted } from './scheduling/job-run.js'
import { Scheduler } from './scheduling/scheduler.js'
import { FanOut } from './socket/fan-out.js'
import { bindTrainingSocket } from './socket/training-socket.js'
import { TrainingRepository } from './training.repository.js'
import { type TrainingRoutes, trainingRoutes } from './training.routes.js'
import { TrainingService } from './training.service.js'
import { createTrainingGateway, type TrainingGateway } from './training-gateway.js'

export interface Training {
  readonly routes: TrainingRoutes
  registerSockets(app: FastifyInstance): void
  /** The record of a job. @throws AppError JOB_NOT_FOUND */
  job(jobId: string): Promise<Job>
  /** For the nodes of workflows that train. */
  readonly gateway: TrainingGateway
  /** What there is to train on, as soon as the launcher knows. */
  readonly capacity: () => Promise<Capacity>
  /** Take over what an earlier service left: adopt living trainings, end lost ones, queue the waiting. */
  start(): Promise<void>
  /** Trainings go on; the next service adopts them. */
  close(): void
}

/** Where trainers run, and how the service exchanges files with them. */
export interface TrainingSeams {
  readonly launcher: Launcher
  readonly exchange: RunExchanges
  /** How soon a launcher that did not know its capacity is asked again; for tests. */
  readonly retryMilliseconds?: number | undefined
}

/** The life cycle of training jobs, wired. */
export function createTraining(
  context: ServiceContext,
  { launcher, exchange, retryMilliseconds }: TrainingSeams,
): Training {
  const { log, roots, settings, gauges } = context
  const { stopGraceSeconds } = settings
  const repository = new TrainingRepository(context.database, new StoredPaths(roots.named))
  const fanOut = new FanOut()
  const publish: FanOut['publish'] = (jobId, messages) => fanOut.publish(jobId, messages)
  const ingest = new EventIngest({ repository, exchange, registerModel, log, publish })
  const onEnded = (job: JobRecord) => report(job.job_id)
  const reader = new JobReader({ repository, exchange })
  const jobs = new ActiveJobs({ repository, ingest, launcher, exchange, stopGraceSeconds, log, onEnded })
  const capacity = askCapacity(launcher, log, retryMilliseconds)
  const scheduler = new Scheduler(capacity, (jobId, device) => jobs.run(jobId, device))
  const service = new TrainingService({ repository, exchange, roots, scheduler, fanOut, jobs, reader })

  /** Runs in the background; a failure does not fail the job. */
  function report(jobId: string): void {
    reader
      .status(jobId)
      .then(async (job) => {
        const path = await writeRunReport(job, exchange(jobId).localPath())
        await repository.update(job, { report_path: path })
      })
      .catch((error) => log.warn({ err: error, job_id: jobId }, 'the report of the run could not be written'))
  }

  gauges.labelledGauge('medloom_jobs', 'Training jobs by status', 'status', async () => {
    const counts = await repository.countByStatus()
    return JOB_STATUSES.map((status) => [status, counts.get(status) ?? 0])
  })

  context.gauges.gauge('medloom_queued_jobs', 'Jobs that wait for a slot', () => repository.countQueued())

  return {
    routes: trainingRoutes(service, reader),
    job: (jobId) => reader.status(jobId),
    gateway: createTrainingGateway(service, { reader, repository, fanOut }),
    capacity,
    registerSockets: (app) => bindTrainingSocket(app, { repository, fanOut }),
    async start() {
      for (const job of await repository.withLooseEnds()) {
        if (job.handle) scheduler.adopt(job)
        if (job.model_id && !job.report_path) report(job.job_id)
      }
      const unfinished = await repository.withStatus('running', 'started')
      for (const job of unfinished) if (wasSubmitted(job)) scheduler.adopt(job)
      for (const job of unfinished) if (!wasSubmitted(job)) scheduler.enqueue(job)
      launcher.start()
    },
    close() {
      scheduler.close()
      jobs.detach()
      launcher.close()
    },
  }
}
