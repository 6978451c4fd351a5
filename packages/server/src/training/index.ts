import { join } from 'node:path'
import { JOB_STATUSES, type Job } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import { findAccelerators } from '../launchers/local/accelerators.js'
import { PrewarmedTrainer } from '../launchers/local/prewarmed-trainer.js'
import { isAlive, signalFamily } from '../launchers/local/process-identity.js'
import { registerModel } from '../models/models.repository.js'
import { writeRunReport } from '../reports/run-reports.js'
import { EventIngest } from './events/event-ingest.js'
import type { JobRecord } from './job-record.js'
import { JobRun } from './scheduling/job-run.js'
import { type Machine, Scheduler } from './scheduling/scheduler.js'
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
  /** What there is to train on; the machine is asked once. */
  readonly machine: () => Promise<Machine>
  /** Take up what an earlier service left: adopt living trainings, end lost ones, queue the waiting. */
  start(): Promise<void>
  /** Trainings go on; the next service adopts them. */
  close(): void
}

/** The life cycle of training jobs, wired. */
export function createTraining(context: ServiceContext): Training {
  const { settings, folder, log } = context
  const repository = new TrainingRepository(context.database)
  const fanOut = new FanOut()
  const ingest = new EventIngest({
    repository,
    folder,
    registerModel,
    log,
    publish: (jobId, messages) => fanOut.publish(jobId, messages),
  })
  const prewarmed = new PrewarmedTrainer({
    python: settings.python,
    logFile: join(folder.logs, 'prewarmed-trainer.log'),
  })
  const runs = new Map<string, JobRun>()

  let asked: Promise<Machine> | undefined
  const machine = () => {
    asked ??= findAccelerators(context.pool).then((accelerators) => ({
      accelerators,
      maxJobs: settings.maxJobs,
    }))
    return asked
  }
  const scheduler = new Scheduler(machine, async (jobId, device) => {
    const run = new JobRun(jobId, { repository, ingest, folder, settings, prewarmed, log, onEnded: report })
    runs.set(jobId, run)
    try {
      await run.run(device)
    } catch (error) {
      log.error(
        { err: error, job_id: jobId },
        'a job is no longer followed; it is taken up again when the service restarts',
      )
    } finally {
      runs.delete(jobId)
    }
  })
  const service = new TrainingService({ repository, folder, roots: context.roots, scheduler, fanOut, runs })

  /** Neither waited for nor able to fail the job. */
  function report({ job_id }: Pick<JobRecord, 'job_id'>): void {
    service
      .status(job_id)
      .then(async (job) => {
        const path = await writeRunReport(job, job.run_dir)
        await repository.update(job, { report_path: path })
      })
      .catch((error) => log.warn({ err: error, job_id }, 'the report of the run could not be written'))
  }

  async function tidy(): Promise<void> {
    for (const job of await repository.withLooseEnds()) {
      if (job.process) {
        if (await isAlive(job.process)) await signalFamily(job.process, 'SIGKILL')
        await repository.update(job, { process: null })
      }
      if (job.model_id && !job.report_path) report(job)
    }
  }

  context.gauges.gauge('medloom_jobs', 'Training jobs by status', async () => {
    const counts = await repository.countByStatus()
    return JOB_STATUSES.map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 }))
  })

  return {
    routes: trainingRoutes(service),
    job: (jobId) => service.status(jobId),
    gateway: createTrainingGateway(service, repository, fanOut),
    machine,
    registerSockets: (app) => bindTrainingSocket(app, { repository, fanOut }),
    async start() {
      await tidy()
      for (const job of await repository.withStatus('running')) scheduler.adopt(job)
      for (const job of await repository.withStatus('started')) scheduler.enqueue(job)
      prewarmed.warm()
    },
    close() {
      scheduler.close()
      for (const run of runs.values()) run.detach()
      prewarmed.close()
    },
  }
}
