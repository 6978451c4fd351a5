import { JOB_STATUSES, type Job, type QueuePause } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { ServiceContext } from '../context.js'
import type { Tables } from '../database/schema.js'
import type { Gauges } from '../http/metrics.js'
import { FanOut } from '../live/fan-out.js'
import { registerModel } from '../models/models.repository.js'
import type { Capacity, Launcher } from '../ports/launcher.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import { Removals } from '../removal/removals.js'
import { writeRunReport } from '../reports/run-reports.js'
import { TrainerAnswers } from './check/trainer-answers.js'
import { TrainingChecks } from './check/training-check.js'
import { type EnsembleModel, type EnsembleRecord, storeEnsemble } from './ensemble-record.js'
import { EventIngest, type EventIngestOptions } from './events/event-ingest.js'
import { type JobAccess, openJobAccess } from './job-access.js'
import { JobControl } from './job-control.js'
import { JobCurves } from './job-curves.js'
import type { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import { MetricLevelsRepository } from './metrics/metric-levels.repository.js'
import { MetricRollup } from './metrics/metric-rollup.js'
import { RecentCurves } from './metrics/recent-curves.js'
import { jobRemoval } from './remove-job.js'
import { ResourceLevelsRepository } from './resources/resource-levels.repository.js'
import { RunReporter } from './run-reporter.js'
import { AcceptedJobs } from './scheduling/accepted-jobs.js'
import { ActiveJobs } from './scheduling/active-jobs.js'
import { KnownCapacity } from './scheduling/capacity.js'
import { type DeviceSlots, SLOTS_OUTSIDE_CLUSTER } from './scheduling/device-slots.js'
import { QueueGate } from './scheduling/environment-fault.js'
import { Scheduler } from './scheduling/scheduler.js'
import { bindTrainingSocket } from './socket/training-socket.js'
import type { TrainingRepository } from './training.repository.js'
import { jobControlRoutes, jobRoutes, type TrainingRoutes } from './training.routes.js'
import { createTrainingGateway, type TrainingGateway } from './training-gateway.js'

export interface Training {
  readonly routes: TrainingRoutes
  registerSockets(app: FastifyInstance): void
  /** The record of a job. @throws AppError JOB_NOT_FOUND */
  job(jobId: string): Promise<Job>
  /** Store an ensemble as an ended record with its model, and write its report. @returns the id of the model. */
  keepEnsemble(record: EnsembleRecord, model: EnsembleModel): Promise<string>
  /** Remove the record of an ensemble with its model. */
  forgetEnsemble(jobId: string, transaction: Transaction<Tables>): Promise<void>
  /** Jobs as lists show them. */
  readonly reader: Pick<JobReader, 'newest' | 'summaries'>
  /** For workflow nodes that train. */
  readonly gateway: TrainingGateway
  /** Devices and slots for training, as soon as the launcher knows them. */
  readonly capacity: () => Promise<Capacity>
  /** Slots for work on an accelerator that is not a job. */
  readonly slots: DeviceSlots
  /** Jobs that other processes accept. */
  readonly accepted: Pick<AcceptedJobs, 'start' | 'look'>
  /** Reason why no job is started at the moment. */
  readonly pause: () => QueuePause | null
  /** Called when the number of jobs that users may run has changed. */
  readonly quotasChanged: () => void
  /** Take over the state of an earlier service: adopt running trainings, end lost ones, queue the waiting ones. */
  start(): Promise<void>
  /** Trainings continue; the next service adopts them. */
  close(): void
}

/** Interfaces to the place where trainers run, and to the exchange of files with them. */
export interface TrainingSeams {
  readonly launcher: Launcher
  readonly exchange: RunExchanges
  /** Rejects when another process has become the controller; called before a trainer is started, stopped or killed. */
  readonly confirm?: (() => Promise<void>) | undefined
  /** Delay before a launcher that did not know its capacity is queried again; for tests. */
  readonly retryMilliseconds?: number | undefined
  /** Writes the report of a run and returns its path; for tests, since a report takes seconds of CPU time. */
  readonly writeRunReport?: typeof writeRunReport | undefined
  /** Called for every job that has ended. */
  readonly onEnded?: ((job: Pick<Job, 'job_id' | 'attempt'>) => void) | undefined
  /** Interval between checks of a running trainer; for tests. */
  readonly lookMilliseconds?: number | undefined
}

/** Creates and connects the parts that handle the life cycle of training jobs. */
export function createTraining(
  context: ServiceContext,
  {
    launcher,
    exchange,
    confirm = async () => undefined,
    retryMilliseconds,
    lookMilliseconds,
    onEnded: listener,
    writeRunReport: write = writeRunReport,
  }: TrainingSeams,
): Training {
  const { log, settings, gauges } = context
  const { stopGraceSeconds } = settings
  const fanOut = new FanOut()
  const known = new KnownCapacity(launcher, log, retryMilliseconds)
  const capacity = known.query
  const pause = () => gate.pause ?? known.pause
  const access = openJobAccess(context, {
    ...{ exchange, pause },
    unstoredFailure: (jobId) => ingest.unstoredFailure(jobId),
    queue: { enqueue: (job) => scheduler.enqueue(job) },
  })
  const { repository, reader, service } = access
  const { metrics, resources } = openCurves(context, repository)
  const publish: EventIngestOptions['publish'] = (jobId, messages) => {
    fanOut.publish(jobId, messages)
    metrics.rollup.grown(jobId, messages)
  }
  const ingest = new EventIngest({ repository, exchange, registerModel, log, publish })
  const reporter = new RunReporter({ log, write: reportWriter({ ...access, exchange, write }) })
  const gate = new QueueGate(() => scheduler.wake(), retryMilliseconds)
  const onEnded = (job: JobRecord) => {
    void reporter.report(job.job_id)
    listener?.(job)
    gate.ended(job.error)
  }
  const jobs = new ActiveJobs({
    ...{ repository, ingest, resources, launcher, confirm, capacity, exchange, stopGraceSeconds, log },
    ...{ onStarted: () => gate.started(), onFault: (error) => gate.failed(error), onEnded, lookMilliseconds },
  })
  const scheduler: Scheduler = new Scheduler(
    capacity,
    (jobId, grant) => jobs.run(jobId, grant),
    gate,
    () => access.users.runningQuotas(),
  )
  const accepted = new AcceptedJobs({ repository, scheduler, log })
  const control = new JobControl({ repository, scheduler, fanOut, jobs, reader })

  registerGauges(gauges, repository)
  return {
    routes: {
      ...jobRoutes(access),
      ...controlRoutesOf(context, { ...access, control, metrics, resources, exchange }),
    },
    job: (jobId) => reader.status(jobId),
    ...ensembleRecords(repository, reporter),
    reader,
    gateway: createTrainingGateway(service, control, { ...access, fanOut }),
    capacity,
    slots: launcher.isCluster ? SLOTS_OUTSIDE_CLUSTER : scheduler,
    accepted,
    pause,
    quotasChanged: () => scheduler.quotasChanged(),
    registerSockets: (app) => bindTrainingSocket(app, { repository, fanOut }),
    async start() {
      await takeOver(repository, launcher, scheduler, reporter)
      launcher.start()
      metrics.rollup
        .catchUp()
        .catch((error) => log.warn({ err: error }, 'earlier curves are aggregated at the next start'))
    },
    close() {
      for (const part of [accepted, reporter, gate, metrics.rollup, scheduler]) part.close()
      jobs.detach()
      launcher.close()
    },
  }
}

function controlRoutesOf(
  context: ServiceContext,
  parts: Pick<JobAccess, 'service' | 'repository' | 'reader' | 'estimates'> &
    ReturnType<typeof openCurves> & { readonly control: JobControl; readonly exchange: RunExchanges },
) {
  const { pool, roots, settings } = context
  return jobControlRoutes({
    control: parts.control,
    checks: new TrainingChecks({
      roots,
      startOf: (config) => parts.service.startOf(config),
      queueRefusal: (owner) => parts.service.queueRefusal(owner),
      answers: new TrainerAnswers(pool, roots.folders),
      estimates: parts.estimates,
      trainsHere: (settings.launcher ?? 'local') === 'local',
    }),
    curves: new JobCurves({ ...parts, find: (jobId) => parts.reader.find(jobId) }),
    remove: jobRemoval({ ...parts, removals: new Removals(context) }),
  })
}

/** Stored curves of jobs. */
function openCurves({ database, log }: ServiceContext, repository: TrainingRepository) {
  const levels = new MetricLevelsRepository(database)
  const rollup = new MetricRollup({ repository, levels, log })
  const metrics = { repository, levels, rollup, recent: new RecentCurves() }
  return { metrics, resources: new ResourceLevelsRepository(database) }
}

/** Take over the state of an earlier service: adopt running trainings, queue the waiting ones, write missing reports. */
async function takeOver(
  repository: TrainingRepository,
  launcher: Launcher,
  scheduler: Scheduler,
  reporter: RunReporter,
): Promise<void> {
  const [ended, submitted] = [await repository.withLooseEnds(), await repository.submitted()]
  await launcher.refuseForeign?.([...ended, ...submitted].flatMap(({ handle }) => handle ?? []))
  for (const job of ended) {
    if (job.handle) scheduler.adopt(job)
    if (job.model_id && !job.report_path) void reporter.report(job.job_id)
  }
  // Running trainings get their slots before waiting jobs are considered.
  for (const job of submitted) scheduler.adopt(job)
  for await (const page of repository.neverSubmitted()) for (const job of page) scheduler.enqueue(job)
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

function reportWriter({
  reader,
  datasets,
  repository,
  exchange,
  write,
}: Pick<JobAccess, 'reader' | 'datasets' | 'repository'> & {
  readonly exchange: RunExchanges
  readonly write: typeof writeRunReport
}) {
  return async (jobId: string): Promise<void> => {
    const job = await reader.status(jobId)
    const texts = await datasets.textsOf(job.config.data.train_csv)
    const path = await write(job, exchange(jobId).localPath(), texts)
    await repository.update(job, { report_path: path })
  }
}

function registerGauges(gauges: Gauges, repository: TrainingRepository): void {
  gauges.labeledGauge('medloom_jobs', 'Training jobs by status', 'status', async () => {
    const counts = await repository.countByStatus()
    return JOB_STATUSES.map((status) => [status, counts.get(status) ?? 0])
  })
  gauges.gauge('medloom_queued_jobs', 'Jobs waiting for a slot', () => repository.countQueued())
}
