import type { Evaluation } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import { ModelsRepository } from '../models/models.repository.js'
import type { Capacity } from '../ports/launcher.js'
import { slotsOf } from '../ports/slots.js'
import { Removals } from '../removal/removals.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { TrainingRepository } from '../training/training.repository.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { FileDigests } from '../workflows/sources/file-digests.js'
import { ActiveStudies } from './active-studies.js'
import { studyRemoval } from './remove-study.js'
import { Searches } from './search/searches.js'
import { StudiesRepository } from './studies.repository.js'
import { type StudyRoutes, studyControlRoutes, studyReadRoutes } from './studies.routes.js'
import { StudiesService } from './studies.service.js'
import { StudyEvents } from './study-events.js'
import { StudyFinish } from './study-finish.js'
import { StudyReader } from './study-reader.js'
import { StudyReports } from './study-reports.js'
import { StudyResultsWriter } from './study-results.js'
import { bindStudySocket } from './study-socket.js'
import { TableDigests } from './table-digests.js'

export interface Studies {
  readonly routes: StudyRoutes
  registerSockets(app: FastifyInstance): void
  /** Continue the studies that an earlier service left running. */
  start(): Promise<void>
  /** Trainings continue; the next service takes over the studies. */
  close(): void
}

/** Functions of the training and model domains that studies use. */
export interface PartsOfStudies {
  readonly gateway: TrainingGateway
  readonly capacity: () => Promise<Capacity>
  readonly evaluateOnTest: (modelId: string, signal: AbortSignal) => Promise<Evaluation>
}

/** Creates and connects studies and their trainings. */
export function createStudies(
  context: ServiceContext,
  { gateway, capacity, evaluateOnTest }: PartsOfStudies,
): Studies {
  const { database, folder, roots, pool, log } = context
  const paths = new StoredPaths(roots.named)
  const repository = new StudiesRepository(database, paths)
  const models = new ModelsRepository(database)
  const reader = new StudyReader(repository, folder)
  const digests = new TableDigests(new FileDigests(database))
  const events = new StudyEvents()
  const reports = new StudyReports({ folder, reader, job: gateway.job })
  const results = new StudyResultsWriter({
    ...{ repository, folder, pool, models, job: gateway.job },
    evaluate: evaluateOnTest,
  })
  const finish = new StudyFinish({ repository, reader, events, results, reports, log })
  const places = async () => slotsOf(await capacity())
  const active = new ActiveStudies({
    ...{ repository, trainings: gateway, folder, digests, events, finish, places, log },
    searches: new Searches({ repository, folder, pool, job: gateway.job }),
  })
  const service = new StudiesService({
    ...{ repository, reader, digests, active, reports, folder, places },
    planner: { trainings: gateway, pool, folder, roots },
    remove: studyRemoval({
      ...{ repository, reader, models, folder },
      jobs: new TrainingRepository(database, paths),
      removals: new Removals(context),
    }),
  })
  return {
    routes: { ...studyReadRoutes(reader), ...studyControlRoutes(service) },
    registerSockets: (app) => bindStudySocket(app, { events, reader }),
    start: () => active.recover(repository),
    close: () => active.detach(),
  }
}
