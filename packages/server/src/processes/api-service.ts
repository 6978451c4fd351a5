import { buildApp } from '../app.js'
import { createCleanup } from '../concurrency/cleanup.js'
import type { ServiceContext } from '../context.js'
import { datasetReadRoutes } from '../datasets/datasets.routes.js'
import { DatasetsService } from '../datasets/datasets.service.js'
import { CaseQueries } from '../evaluations/cases/case-queries.js'
import { createEvaluations } from '../evaluations/index.js'
import { Folders } from '../files/folders.js'
import { createFollowUps } from '../follow-ups/index.js'
import type { HandlersOfAny } from '../http/bind.js'
import { listen } from '../http/listen.js'
import { ofAny } from '../http/route-processes.js'
import { fileExchanges } from '../launchers/exchange/file-exchange.js'
import { rootsOnNodes, siteOfTrainings } from '../launchers/exchange/site-paths.js'
import { FanOut } from '../live/fan-out.js'
import { createModels } from '../models/index.js'
import type { TrainingPort } from '../models/training-port.js'
import { openContext } from '../open-context.js'
import { openPeople } from '../people/index.js'
import { createPredictions } from '../predictions/index.js'
import type { RunningService } from '../running-service.js'
import { readToken } from '../security/token.js'
import type { Settings } from '../settings.js'
import { StudiesRepository } from '../studies/studies.repository.js'
import { studyReadRoutes } from '../studies/studies.routes.js'
import { StudyReader } from '../studies/study-reader.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { openJobAccess } from '../training/job-access.js'
import { FollowedJobs } from '../training/socket/followed-jobs.js'
import { bindTrainingSocket } from '../training/socket/training-socket.js'
import { jobRoutes } from '../training/training.routes.js'
import { openWorkflowReads } from '../workflows/index.js'
import { apiSystemRoutes } from './api-system.js'
import { ControllerDirectory } from './controller-directory.js'
import { controllerOnly, NO_WORKERS } from './controller-only.js'
import { CONTROLLERS_CHANNEL, otherFolder } from './controller-term.js'
import { ControllersRepository } from './controllers.repository.js'
import { Forwarder } from './forwarding/forwarder.js'
import { forwarding } from './forwarding/forwarding.js'
import { missingDatabaseServer } from './missing-database-server.js'
import { RowNotifications } from './row-notifications.js'

/**
 * Start a process that answers requests and follows jobs, and forwards everything else to the controller. Any number of them share a
 * database; they keep no state.
 * @throws StartError when it cannot start with these settings.
 */
export async function startApi(
  settings: Settings,
  { onOpened }: { readonly onOpened?: (() => void) | undefined } = {},
): Promise<RunningService> {
  const serviceToken = readToken(settings)
  const opened = createCleanup()
  try {
    const { context, metrics, lost } = await openContext(settings, opened, {
      pool: () => NO_WORKERS,
      reconnect: true,
    })
    onOpened?.()
    const { database, log } = context
    const { server } = database
    if (!server) throw missingDatabaseServer('api')
    const people = await openPeople(context, opened, {
      serviceToken,
      // The controller is notified by the request itself.
      quotasChanged: () => undefined,
    })
    const directory = new ControllerDirectory({ repository: new ControllersRepository(database), log })
    opened.add(() => directory.close())
    await directory.start(context.folder.id)
    if (directory.isOfOtherFolder) throw otherFolder(context.folder.path)
    opened.add(await server.listen(CONTROLLERS_CHANNEL, () => void directory.look()))
    const rows = new RowNotifications({ server, written: database.written, log })
    opened.add(() => rows.close())
    const forwarder = new Forwarder(directory)
    opened.add(() => forwarder.close())
    const cases = new CaseQueries(context.folder.cache)
    opened.add(() => cases.close())
    const { routes, access } = openReads(context, directory, cases)
    const followed = new FollowedJobs({ repository: access.repository, fanOut: new FanOut(), log })
    opened.add(() => followed.close())
    rows.onWritten((table, id) => {
      if (table === 'jobs') followed.hint(id)
    })
    const { admitAttempt, sockets } = forwarding(forwarder, { directory })
    const app = await buildApp({
      ...{ context, metrics, people, admitAttempt },
      handlers: { ...routes, ...ofAny(people.routes), ...apiSystemRoutes(context, directory) },
      tasks: controllerOnly('tasks'),
      sockets: [
        (app) => bindTrainingSocket(app, { repository: access.repository, fanOut: followed }),
        ...sockets,
      ],
    })
    opened.add(() => app.close())
    await rows.start()
    followed.start()
    const address = await listen(app, settings)
    return { address, app, lost, close: () => opened.close() }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The routes for reading and for accepting work, based on the rows and the shared folder. */
function openReads(context: ServiceContext, directory: ControllerDirectory, cases: CaseQueries) {
  const { database, folder, roots } = context
  const site = siteOfTrainings(context.settings, roots.named)
  const onNodes = { ...context, roots: rootsOnNodes(roots, site) }
  const access = openJobAccess(onNodes, {
    exchange: fileExchanges({ folder, roots: roots.folders, site }),
    pause: () => directory.current?.pause ?? null,
    unstoredFailure: () => undefined,
    // The controller is notified of the new row.
    queue: { enqueue: () => undefined },
  })
  const job = (jobId: string) => access.reader.status(jobId)
  const folders = new Folders(roots)
  const studies = new StudyReader(new StudiesRepository(database, new StoredPaths(roots.named)), folder)
  const routes = {
    ...jobRoutes(access),
    ...ofAny(createModels(context, { ...controllerOnly<TrainingPort>('training'), job }, cases).routes),
    ...ofAny(createEvaluations(context, { job }, cases).routes),
    ...ofAny(createPredictions(context, controllerOnly('predictions')).routes),
    ...ofAny(createFollowUps(context, controllerOnly('followUps')).routes),
    ...studyReadRoutes(studies),
    ...openWorkflowReads(context),
    ...datasetReadRoutes(new DatasetsService(context, controllerOnly('inspections'))),
    listFiles: ({ query }) => folders.list(query.path, query.page_size, query.page_token),
  } satisfies Partial<HandlersOfAny>
  return { routes, access }
}
