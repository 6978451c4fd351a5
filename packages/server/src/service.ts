import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { type Cleanup, createCleanup } from './concurrency/cleanup.js'
import { repeatEvery } from './concurrency/repeat-every.js'
import type { ServiceContext } from './context.js'
import { createDatasets } from './datasets/index.js'
import { CaseQueries } from './evaluations/cases/case-queries.js'
import { createEvaluations, prepareOwnCases } from './evaluations/index.js'
import { createFiles } from './files/index.js'
import { createFollowUps } from './follow-ups/index.js'
import type { Handlers } from './http/bind.js'
import { listen } from './http/listen.js'
import { createLauncher } from './launchers/create-launcher.js'
import { createExchange, type Exchange } from './launchers/exchange/http/create-exchange.js'
import { rootsOnNodes, siteOfNodes } from './launchers/exchange/site-paths.js'
import { createModels } from './models/index.js'
import { followRoots } from './moved-roots/follow-roots.js'
import { openContext } from './open-context.js'
import { createOverview } from './overview/index.js'
import { openPeople, type People } from './people/index.js'
import type { Launcher } from './ports/launcher.js'
import type { TaskPool } from './ports/task-pool.js'
import { createPredictions } from './predictions/index.js'
import { startApi } from './processes/api-service.js'
import { beginTerm, internalAddress } from './processes/controller-term.js'
import { ALONE, type ConfirmController } from './processes/lease.js'
import { missingDatabaseServer } from './processes/missing-database-server.js'
import { Removals } from './removal/removals.js'
import type { RunningService } from './running-service.js'
import { InternalRequests } from './security/internal-requests.js'
import { readToken } from './security/token.js'
import type { Settings } from './settings.js'
import { removeAbandonedFiles } from './storage/abandoned-files.js'
import { limitImageCache } from './storage/image-cache.js'
import { createStudies } from './studies/index.js'
import { createSystem } from './system/index.js'
import { startFault } from './system-fault.js'
import { createTasks } from './tasks/index.js'
import { createTraining } from './training/index.js'
import { createTaskPool } from './worker/task-pool.js'
import { createWorkflows } from './workflows/index.js'

const DAY_MILLISECONDS = 24 * 3600 * 1000

export interface ServiceOptions {
  /** Launcher of trainers, in place of the one that the settings name. */
  readonly launcher?: Launcher
  /** Called once the database has responded: later failures may be retried. */
  readonly onOpened?: () => void
}

/**
 * Start the service on its data folder, or the part of it that the settings name.
 * @throws StartError when it cannot start with these settings: folder in use, token missing, port taken.
 */
export async function startService(
  settings: Settings,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const { role = 'all', databaseUrl } = settings
  if (role !== 'all' && !databaseUrl) throw missingDatabaseServer(role)
  try {
    return await (role === 'api' ? startApi(settings, options) : startWhole(settings, options))
  } catch (error) {
    throw startFault(error, settings.dataDir)
  }
}

/**
 * The service with all parts that only one process may run at a time; if several share a database, as soon as it is this process's turn.
 */
async function startWhole(
  settings: Settings,
  { launcher, onOpened }: ServiceOptions,
): Promise<RunningService> {
  // A separate controller receives requests only from the service's own processes.
  const isAlone = settings.role === 'controller'
  const serviceToken = isAlone ? null : readToken(settings)
  const opened = createCleanup()
  try {
    const { context, metrics, lost } = await openContext(settings, opened, {
      pool: openPool,
      reconnect: false,
    })
    onOpened?.()
    const term = await beginTerm(context, opened)
    await followRoots({ ...context, roots: context.roots.named })
    await limitImageCache(context.folder, settings.imageCache)
    const people = await openPeople(context, opened, {
      serviceToken,
      onlyInternal: isAlone,
      quotasChanged: () => domains.training.quotasChanged(),
    })
    const cases = new CaseQueries(context.folder.cache)
    opened.add(() => cases.close())
    let resolveAddress: (address: string) => void = () => undefined
    const confirm = term?.confirm ?? ALONE
    const mayWrite = async () => {
      await confirm()
      await context.folder.confirm()
    }
    const exchange = createExchange(context, new Promise((resolve) => (resolveAddress = resolve)), mayWrite)
    const domains = createDomains(context, {
      ...{ cases, exchange, confirm },
      launcher: launcher ?? createLauncher(context),
    })
    const { datasets, files, predictions } = domains
    for (const domain of [datasets, files, predictions]) opened.add(() => domain.close())
    const { training, tasks, studies, workflows, overview } = domains
    const app = await buildApp({
      ...{ context, metrics, people, tasks: tasks.service, admitAttempt: exchange.admit },
      internal: term && new InternalRequests(term.internalKey, context.log),
      handlers: { ...handlersOf(domains), ...people.routes, ...exchange.routes },
      sockets: [training, studies, workflows, overview].map(
        (domain) => (app: FastifyInstance) => domain.registerSockets(app),
      ),
    })
    const [trainings, others] = [createCleanup(), createCleanup()]
    trainings.add(() => training.close())
    for (const domain of [tasks.service, overview, workflows, studies]) others.add(() => domain.close())
    // Open requests can still access running trainings.
    for (const step of [trainings, app, others]) opened.add(() => step.close())
    void lost.then(() => endLoops([others, trainings], context.log))
    people.start()
    await new Removals(context).finish()
    await tasks.service.start()
    predictions.start()
    await training.start()
    await studies.start()
    await workflows.start()
    await term?.listen(training)
    const address = await listen(app, settings)
    resolveAddress(address)
    await context.folder.announce(address)
    await term?.announce(internalAddress(settings, address))
    if (settings.prewarm) domains.system.start()
    opened.add(sweepAbandonedFiles(context))
    return { address, app, lost, close: () => opened.close() }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Removes temporary files that killed processes have left, now and every day. @returns a function that ends it */
function sweepAbandonedFiles({ folder, log }: ServiceContext): () => void {
  const sweep = () =>
    removeAbandonedFiles({
      folder: folder.path,
      onFault: (error) => log.warn({ err: error }, 'some temporary files could not be removed'),
    })
  void sweep()
  return repeatEvery(DAY_MILLISECONDS, sweep)
}

type Domains = ReturnType<typeof createDomains>

interface DomainParts {
  readonly cases: CaseQueries
  readonly exchange: Exchange
  readonly launcher: Launcher
  readonly confirm: ConfirmController
}

function createDomains(context: ServiceContext, { cases, exchange, launcher, confirm }: DomainParts) {
  const training = createTraining(
    { ...context, roots: exchange.roots },
    {
      ...{ launcher, confirm },
      exchange: exchange.exchanges,
      onEnded: (job) => prepareOwnCases(job, context.folder, cases),
    },
  )
  const { settings, roots } = context
  const onNodes = rootsOnNodes(roots, siteOfNodes(settings, roots.named))
  const workflows = createWorkflows({ ...context, roots: onNodes }, training, (logs) =>
    nodePool(context, logs),
  )
  const models = createModels(context, training, cases)
  const evaluations = createEvaluations(context, training, cases)
  const tasks = createTasks(context)
  const studies = createStudies(context, { ...training, ...models })
  const datasets = createDatasets(context, tasks.service)
  const files = createFiles(context)
  const predictions = createPredictions(context, {
    ...{ models: models.service, training, uploads: files.uploads },
  })
  const followUps = createFollowUps(context, { models: models.service })
  const overview = createOverview(context, training)
  const system = createSystem(context, training, overview.state)
  return {
    ...{ training, workflows, models, evaluations, predictions, followUps, tasks, studies, datasets, files },
    ...{ overview, system },
  }
}

/** Every route of the contracts except those of people and of trainers. */
function handlersOf(domains: Domains): Omit<Handlers, keyof (People['routes'] & Exchange['routes'])> {
  return {
    ...domains.training.routes,
    ...domains.models.routes,
    ...domains.evaluations.routes,
    ...domains.predictions.routes,
    ...domains.followUps.routes,
    ...domains.tasks.routes,
    ...domains.studies.routes,
    ...domains.datasets.routes,
    ...domains.files.routes,
    ...domains.system.routes,
    ...domains.workflows.routes,
  }
}

function openPool({
  settings,
  folder,
  roots,
  log,
}: Pick<ServiceContext, 'settings' | 'folder' | 'roots' | 'log'>): TaskPool {
  const {
    python,
    workerMemory: memory,
    workerDeadlineSeconds: inactivitySeconds,
    nodesOn,
    idleSeconds = 0,
  } = settings
  const places = siteOfNodes(settings, roots.named)?.places
  return createTaskPool({
    ...{ python, logs: folder.logs, log, memory, idleSeconds },
    ...(inactivitySeconds === undefined ? {} : { inactivitySeconds }),
    ...(nodesOn ? { cluster: { ...nodesOn, places } } : {}),
  })
}

/** Processes of custom nodes. */
function nodePool({ settings, log }: ServiceContext, logs: string): TaskPool {
  const { python, workerMemory: memory, workerDeadlineSeconds: inactivitySeconds, idleSeconds = 0 } = settings
  return createTaskPool({
    ...{ python, logs, log, memory, idleSeconds },
    ...(inactivitySeconds === undefined ? {} : { inactivitySeconds }),
  })
}

/** No background work continues without the database; requests are answered that it is unavailable. */
async function endLoops(steps: readonly Cleanup[], log: ServiceContext['log']): Promise<void> {
  for (const step of steps)
    await step
      .close()
      .catch((error) => log.debug({ err: error }, 'stopped, because the database is not available'))
}
