import type { QueuePause } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { ModelsRepository } from '../models/models.repository.js'
import { ExhaustedQuotas } from '../people/exhausted-quotas.js'
import { UsersRepository } from '../people/users.repository.js'
import { oneNodeOf } from '../ports/launcher-names.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import { StoredPaths } from './configuration/stored-paths.js'
import { EarlierTrainingsRepository } from './estimate/earlier-trainings.repository.js'
import { TimeEstimates } from './estimate/time-estimates.js'
import { JobListRepository } from './job-list.repository.js'
import { JobReader, type JobReaderOptions } from './job-reader.js'
import { TrainingRepository } from './training.repository.js'
import { TrainingService, type TrainingServiceOptions } from './training.service.js'

export interface JobAccessOptions {
  readonly exchange: RunExchanges
  /** Reason why no job is started at the moment. */
  readonly pause: () => QueuePause | null
  /** The end of a job that cannot be stored yet. */
  readonly unstoredFailure: JobReaderOptions['ingest']['unstoredFailure']
  readonly queue: TrainingServiceOptions['queue']
}

export type JobAccess = ReturnType<typeof openJobAccess>

/** Access to jobs that every process has: it reads their rows and files, and accepts new ones. */
export function openJobAccess(
  { database, roots, settings }: Pick<ServiceContext, 'database' | 'roots' | 'settings'>,
  { exchange, pause, unstoredFailure, queue }: JobAccessOptions,
) {
  const paths = new StoredPaths(roots.named)
  const repository = new TrainingRepository(database, paths)
  const lists = new JobListRepository(database, paths)
  const models = new ModelsRepository(database)
  const users = new UsersRepository(database)
  const quotas = new ExhaustedQuotas(users)
  const reader = new JobReader({ repository, lists, exchange, ingest: { unstoredFailure }, pause, quotas })
  const estimates = new TimeEstimates(new EarlierTrainingsRepository(database, paths))
  const { maxQueued } = settings
  const service = new TrainingService({
    ...{ repository, models, exchange, roots, queue, reader, estimates, maxQueued },
    oneNode: oneNodeOf(settings),
    sharesFolder: settings.exchange !== 'http',
    users,
  })
  return { repository, datasets: new DatasetsRepository(database), reader, estimates, service, users }
}
