import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import type { Capacity } from '../launchers/launcher.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { ArtifactStore } from './cache/artifact-store.js'
import { CacheRepository } from './cache/cache.repository.js'
import { collectGarbage } from './cache/collect.js'
import { DiskCache } from './cache/disk-cache.js'
import { ProjectFolder } from './project/project-folder.js'
import { RunsRepository } from './runs/runs.repository.js'
import { RunsService } from './runs/runs.service.js'
import { Live } from './socket/workflow-events.js'
import { bindWorkflowSocket } from './socket/workflow-socket.js'
import { DatasetSource } from './sources/dataset-source.js'
import { SourceDigests } from './sources/source-digests.js'
import { WorkflowsRepository } from './workflows.repository.js'
import { type WorkflowRoutes, workflowsRoutes } from './workflows.routes.js'
import { WorkflowsService } from './workflows.service.js'

export interface Workflows {
  readonly routes: WorkflowRoutes
  registerSockets(app: FastifyInstance): void
  /** Take up the runs that an earlier service left. */
  start(): Promise<void>
  /** Runs go on in the next service. */
  close(): void
}

/** What has expired is removed this often. */
const TIDY_SECONDS = 3600

/** Workflows and their runs, wired. */
export function createWorkflows(
  context: ServiceContext,
  training: { readonly gateway: TrainingGateway; readonly capacity: () => Promise<Capacity> },
): Workflows {
  const { folder, database, roots, log, settings } = context
  const cached = new CacheRepository(database)
  const store = new ArtifactStore(folder.artifacts)
  const cache = new DiskCache({
    repository: cached,
    store,
    dataDir: folder.path,
    timeToLive: settings.cacheSeconds * 1000,
    warn: (fault, key) => log.warn({ key }, `a cached result is computed again: ${fault}`),
  })
  const datasets = new DatasetSource(context)
  const live = new Live()
  const repository = new WorkflowsRepository(database)
  const project = (workflowId: string) => new ProjectFolder(folder.workflow(workflowId), roots.folders)
  const surroundings = (workflowId: string) => ({ roots, datasets, project: project(workflowId) })

  let tidying: Promise<unknown> = Promise.resolve()
  let postponed = false
  /** Expired results and files that nothing refers to; never while something runs. */
  const tidy = () => {
    tidying = tidying
      .then(async () => {
        postponed = !runs.idle
        if (postponed) return
        await cache.sweep()
        if (runs.idle)
          await collectGarbage({ folder: store.folder, repository: cached, held: () => cache.heldBlobs() })
      })
      .catch((error) => log.warn({ err: error }, 'the artifact store could not be tidied'))
  }
  const timer = setInterval(tidy, 1000 * Math.max(1, Math.min(settings.cacheSeconds, TIDY_SECONDS)))
  timer.unref()
  const runs = new RunsService({
    context,
    workflows: repository,
    repository: new RunsRepository(database),
    cache,
    store,
    sources: new SourceDigests(context, datasets),
    executors: { datasets, trainings: training.gateway },
    live,
    capacity: training.capacity,
    surroundings,
    project,
    onIdle: () => {
      if (postponed) tidy()
    },
  })
  const service = new WorkflowsService({
    repository,
    cache,
    surroundings,
    project,
    whileDeleting: (workflowId, remove) => runs.whileDeleting(workflowId, remove),
    onCleared: tidy,
    log,
  })
  return {
    routes: workflowsRoutes(service, runs, cache),
    registerSockets: (app) =>
      bindWorkflowSocket(app, {
        live,
        has: (workflowId) => repository.has(workflowId),
        status: (workflowId) => runs.status(workflowId),
      }),
    async start() {
      await runs.start()
      tidy()
    },
    close() {
      clearInterval(timer)
      runs.close()
    },
  }
}
