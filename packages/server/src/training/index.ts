import { JOB_STATUSES, type Job, type QueuePause } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { ServiceContext } from '../context.js'
import type { Tables } from '../database/schema.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import type { Capacity, Launcher } from '../launchers/launcher.js'
import { ModelsRepository, registerModel } from '../models/models.repository.js'
import { Removals } from '../removal/removals.js'
import { writeRunReport } from '../reports/run-reports.js'
import type { Gauges } from '../system/metrics.js'
import { TrainerAnswers } from './check/trainer-answers.js'
import { TrainingChecks } from './check/training-check.js'
import { StoredPaths } from './configuration/stored-paths.js'
import { type EnsembleModel, type EnsembleRecord, storeEnsemble } from './ensemble-record.js'
import { EarlierTrainingsRepository } from './estimate/earlier-trainings.repository.js'
import { TimeEstimates } from './estimate/time-estimates.js'
import { EventIngest, type EventIngestOptions } from './events/event-ingest.js'
import { JobListRepository } from './job-list.repository.js'
import { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import { MetricFolder } from './metrics/metric-folder.js'
import { MetricLevelsRepository } from './metrics/metric-levels.repository.js'
import { RecentCurves } from './metrics/recent-curves.js'
import { type JobRemovalOptions, jobRemoval } from './remove-job.js'
import { ResourceLevelsRepository } from './resources/resource-levels.repository.js'
import { RunReporter } from './run-reporter.js'
import { ActiveJobs } from './scheduling/active-jobs.js'
import { askCapacity } from './scheduling/capacity.js'
import { QueueGate, sharedFault } from './scheduling/environment-fault.js'
import { wasSubmitted } from './scheduling/job-run.js'
import type { Places } from './scheduling/places.js'
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
  /** Keep an ensemble as a record that has ended, with its model, and write its report. @returns the id of the model. */
  keepEnsemble(record: EnsembleRecord, model: EnsembleModel): Promise<string>
  /** Remove the record of an ensemble with its model. */
  forgetEnsemble(jobId: string, transaction: Transaction<Tables>): Promise<void>
  /** What lists show of jobs. */
  readonly reader: Pick<JobReader, 'newest' | 'summaries'>
  /** For the nodes of workflows that train. */
  readonly gateway: TrainingGateway
  /** What there is to train on, as soon as the launcher knows. */
  readonly capacity: () => Promise<Capacity>
  /** For what computes on an accelerator beside the jobs. */
  readonly places: Places
  /** Why no job is started at the moment. */
  readonly pause: () => QueuePause | null
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
  /** Writes the report of a run and gives its path; for tests, since a report takes seconds of a core. */
  readonly writeRunReport?: typeof writeRunReport | undefined
  /** Told of every job that has ended. */
  readonly onEnded?: ((job: Pick<Job, 'job_id' | 'attempt'>) => void) | undefined
  /** How often a running trainer is looked at; for tests. */
  readonly lookMilliseconds?: number | undefined
}

/** The life cycle of training jobs, wired. */
export function createTraining(
  context: ServiceContext,
  {
    launcher,
    exchange,
    retryMilliseconds,
    lookMilliseconds,
    onEnded: tell,
    writeRunReport: write = writeRunReport,
  }: TrainingSeams,
): Training {
  const { log, roots, settings, gauges } = context
  const { stopGraceSeconds } = settings
  const { repository, lists, datasets, models } = repositoriesOf(context)
  const fanOut = new FanOut()
  const { metrics, resources } = openCurves(context, repository)
  const publish: EventIngestOptions['publish'] = (jobId, messages) => {
    fanOut.publish(jobId, messages)
    metrics.folder.grown(jobId, messages)
  }
  const ingest = new EventIngest({ repository, exchange, registerModel, log, publish })
  const pause = () => gate.pause
  const reader = new JobReader({ repository, lists, exchange, ingest, pause, resources, metrics })
  const reporter = new RunReporter({ log, write: writeReport })
  const gate = new QueueGate(() => scheduler.wake(), retryMilliseconds)
  const onStarted = () => gate.started()
  const onEnded = (job: JobRecord) => {
    void reporter.report(job.job_id)
    tell?.(job)
    const fault = sharedFault(job.error)
    if (fault) gate.shut(fault)
    else gate.repaired()
  }
  const jobs = new ActiveJobs({
    ...{ repository, ingest, resources, launcher, exchange, stopGraceSeconds, log },
    ...{ onStarted, onEnded, lookMilliseconds },
  })
  const capacity = askCapacity(launcher, log, retryMilliseconds)
  const scheduler: Scheduler = new Scheduler(capacity, (jobId, grant) => jobs.run(jobId, grant), gate)
  const estimates = new TimeEstimates(new EarlierTrainingsRepository(context.database, repository.paths))
  const service = new TrainingService({
    ...{ repository, models, exchange, roots, scheduler, fanOut, jobs, reader, estimates },
  })
  const checks = checksOf(context, { service, repository, estimates })

  async function writeReport(jobId: string): Promise<void> {
    const job = await reader.status(jobId)
    const texts = await datasets.textsOf(job.config.data.train_csv)
    const path = await write(job, exchange(jobId).localPath(), texts)
    await repository.update(job, { report_path: path })
  }

  registerGauges(gauges, repository)
  return {
    routes: trainingRoutes(service, reader, checks, removalOf(context, { repository, reader, exchange })),
    job: (jobId) => reader.status(jobId),
    ...ensembleRecords(repository, reporter),
    reader,
    gateway: createTrainingGateway(service, { reader, repository, fanOut, estimates }),
    capacity,
    places: scheduler,
    pause,
    registerSockets: (app) => bindTrainingSocket(app, { repository, fanOut }),
    async start() {
      await takeOver(repository, scheduler, reporter)
      launcher.start()
      metrics.folder
        .catchUp()
        .catch((error) => log.warn({ err: error }, 'the curves of earlier jobs are folded at the next start'))
    },
    close() {
      reporter.close()
      gate.close()
      metrics.folder.close()
      scheduler.close()
      jobs.detach()
      launcher.close()
    },
  }
}

function repositoriesOf({ database, roots }: ServiceContext) {
  const paths = new StoredPaths(roots.named)
  return {
    repository: new TrainingRepository(database, paths),
    lists: new JobListRepository(database, paths),
    datasets: new DatasetsRepository(database),
    models: new ModelsRepository(database),
  }
}

function checksOf(
  { pool, roots }: ServiceContext,
  of: { service: TrainingService; repository: TrainingRepository; estimates: TimeEstimates },
): TrainingChecks {
  return new TrainingChecks({
    roots,
    startOf: (config) => of.service.startOf(config),
    countQueued: () => of.repository.countQueued(),
    answers: new TrainerAnswers(pool, roots.folders),
    estimates: of.estimates,
  })
}

/** What is kept of the course of jobs. */
function openCurves({ database, log }: ServiceContext, repository: TrainingRepository) {
  const levels = new MetricLevelsRepository(database)
  const folder = new MetricFolder({ repository, levels, log })
  const metrics = { levels, folder, recent: new RecentCurves() }
  return { metrics, resources: new ResourceLevelsRepository(database) }
}

/** What an earlier service left: adopt living trainings, queue the waiting, write the reports that are owed. */
async function takeOver(
  repository: TrainingRepository,
  scheduler: Scheduler,
  reporter: RunReporter,
): Promise<void> {
  for (const job of await repository.withLooseEnds()) {
    if (job.handle) scheduler.adopt(job)
    if (job.model_id && !job.report_path) void reporter.report(job.job_id)
  }
  const unfinished = await repository.withStatus('running', 'started')
  for (const job of unfinished) if (wasSubmitted(job)) scheduler.adopt(job)
  for (const job of unfinished) if (!wasSubmitted(job)) scheduler.enqueue(job)
}

function ensembleRecords(
  repository: TrainingRepository,
  reporter: RunReporter,
): Pick<Training, 'keepEnsemble' | 'forgetEnsemble'> {
  return {
    async keepEnsemble(record, model) {
      const id = await storeEnsemble(repository, record, model)
      await reporter.report(record.job_id)
      return id
    },
    forgetEnsemble: (jobId, transaction) => repository.remove(jobId, transaction),
  }
}

function registerGauges(gauges: Gauges, repository: TrainingRepository): void {
  gauges.labelledGauge('medloom_jobs', 'Training jobs by status', 'status', async () => {
    const counts = await repository.countByStatus()
    return JOB_STATUSES.map((status) => [status, counts.get(status) ?? 0])
  })
  gauges.gauge('medloom_queued_jobs', 'Jobs that wait for a slot', () => repository.countQueued())
}

function removalOf(context: ServiceContext, of: Omit<JobRemovalOptions, 'removals'>) {
  return jobRemoval({ ...of, removals: new Removals(context) })
}
