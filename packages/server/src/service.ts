import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import type { ServiceContext } from './context.js'
import { openDatabase } from './database/database.js'
import { createDatasets } from './datasets/index.js'
import { StartError } from './errors.js'
import { CaseQueries } from './evaluations/cases/case-queries.js'
import { createEvaluations, prepareOwnCases } from './evaluations/index.js'
import { createFiles } from './files/index.js'
import { fileExchanges } from './launchers/exchange/file-exchange.js'
import { LocalLauncher } from './launchers/local/local-launcher.js'
import { createLog } from './log.js'
import { createModels } from './models/index.js'
import { createOverview } from './overview/index.js'
import { Removals } from './removal/removals.js'
import { openOutputFolder } from './security/output-folder.js'
import { createRoots } from './security/roots.js'
import { sessionRoutes } from './security/session.routes.js'
import { readToken } from './security/token.js'
import type { Settings } from './settings.js'
import { openDataFolder } from './storage/data-folder.js'
import { limitImageCache } from './storage/image-cache.js'
import { createStudies } from './studies/index.js'
import { createSystem } from './system/index.js'
import { createMetrics, type Metrics } from './system/metrics.js'
import { createTasks } from './tasks/index.js'
import { createTraining } from './training/index.js'
import { createTaskPool } from './worker/task-pool.js'
import { refuseNodesFolder } from './workflows/custom/nodes-folder.js'
import { createWorkflows } from './workflows/index.js'

export interface RunningService {
  /** Such as http://127.0.0.1:8000. */
  readonly address: string
  /** The application, for requests without a network. */
  readonly app: FastifyInstance
  /** Respond to open requests, then shut down. Trainings continue, and the next service adopts them. */
  close(): Promise<void>
}

/**
 * Start the service on its data folder.
 * @throws StartError when it cannot start with these settings: folder in use, token missing, port taken.
 */
export async function startService(settings: Settings): Promise<RunningService> {
  const token = readToken(settings)
  const opened = createCleanup()
  try {
    const { context, metrics } = await openContext(settings, opened)
    const cases = new CaseQueries(context.folder.cache)
    opened.add(() => cases.close())
    const training = createTraining(context, {
      launcher: new LocalLauncher({
        python: settings.python,
        logs: context.folder.logs,
        pool: context.pool,
        maxJobs: settings.maxJobs,
        prewarm: settings.prewarm,
      }),
      exchange: fileExchanges({ folder: context.folder, roots: context.roots.folders }),
      onEnded: (job) => prepareOwnCases(job, context.folder, cases),
    })
    const workflows = createWorkflows(context, training)
    const models = createModels(context, training, cases)
    const evaluations = createEvaluations(context, training, cases)
    const tasks = createTasks(context)
    const studies = createStudies(context, { ...training, ...models })
    const datasets = createDatasets(context, tasks.service)
    opened.add(() => datasets.close())
    const files = createFiles(context)
    opened.add(() => files.close())
    const overview = createOverview(context, training)
    const system = createSystem(context, training.pause, overview.state)
    const handlers = {
      ...training.routes,
      ...models.routes,
      ...evaluations.routes,
      ...tasks.routes,
      ...studies.routes,
      ...datasets.routes,
      ...files.routes,
      ...system.routes,
      ...sessionRoutes(token),
      ...workflows.routes,
    }
    const sockets = [training, studies, workflows, overview].map(
      (domain) => (app: FastifyInstance) => domain.registerSockets(app),
    )
    const app = await buildApp({ context, metrics, token, handlers, tasks: tasks.service, sockets })
    opened.add(() => training.close())
    opened.add(() => app.close())
    opened.add(() => tasks.service.close())
    opened.add(() => overview.close())
    opened.add(() => workflows.close())
    opened.add(() => studies.close())
    await new Removals(context).finish()
    await tasks.service.start()
    await training.start()
    await studies.start()
    await workflows.start()
    const address = await listen(app, settings)
    await context.folder.announce(address)
    if (settings.prewarm) system.start()
    return { address, app, close: () => opened.close() }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** What every domain is given: data folder, database, worker processes. */
async function openContext(
  settings: Settings,
  opened: Cleanup,
): Promise<{ context: ServiceContext; metrics: Metrics }> {
  const log = createLog(settings.logLevel)
  const folder = await openDataFolder(settings.dataDir)
  opened.add(() => folder.close())
  await refuseNodesFolder(settings.nodes ?? null, folder.path)
  const outputs = await openOutputFolder(settings.outputRoot, folder.path)
  await limitImageCache(folder, settings.imageCache)
  const database = await openDatabase(folder.database)
  opened.add(() => database.destroy())
  const metrics = createMetrics()
  opened.add(() => metrics.close())
  const { python, workerMemory: memory, workerDeadlineSeconds: inactivitySeconds } = settings
  const pool = createTaskPool({
    python,
    logs: folder.logs,
    log,
    memory,
    ...(inactivitySeconds === undefined ? {} : { inactivitySeconds }),
  })
  opened.add(() => pool.close())
  const roots = createRoots([...settings.roots, folder.uploads], folder.path, settings.rootNames)
  return { context: { settings, folder, database, roots, outputs, pool, gauges: metrics, log }, metrics }
}

type Cleanup = ReturnType<typeof createCleanup>

/** Closes in reverse order what was opened; one failure does not keep the rest open. */
function createCleanup() {
  const steps: (() => void | Promise<void>)[] = []
  return {
    add: (step: () => void | Promise<void>) => {
      steps.push(step)
    },
    async close() {
      const failures: unknown[] = []
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'the service did not close cleanly')
    },
  }
}

async function listen(app: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartError(
        `port ${port} on ${host} is in use`,
        'Choose another with --port; 0 picks a free one.',
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(
        `cannot listen on ${host}, port ${port} (${code})`,
        'Choose another --host or --port.',
      )
    throw error
  }
  const bound = app.server.address()
  const actual = bound !== null && typeof bound === 'object' ? bound.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
}
