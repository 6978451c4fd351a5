import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import type { Capacity } from '../launchers/launcher.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { ArtifactCleanup } from './artifact-cleanup.js'
import { ArtifactStore } from './cache/artifact-store.js'
import { CacheRepository } from './cache/cache.repository.js'
import { DiskCache } from './cache/disk-cache.js'
import { ProjectFolder } from './project/project-folder.js'
import { RunsRepository } from './runs/runs.repository.js'
import { RunsService } from './runs/runs.service.js'
import { WorkflowEvents } from './socket/workflow-events.js'
import { bindWorkflowSocket } from './socket/workflow-socket.js'
import { DatasetSource } from './sources/dataset-source.js'
import { SourceDigests } from './sources/source-digests.js'
import { WorkflowsRepository } from './workflows.repository.js'
import { type WorkflowRoutes, workflowsRoutes } from './workflows.routes.js'
import { WorkflowsService } from './workflows.service.js'

export interface Workflows {
  readonly routes: WorkflowRoutes
  registerSockets(app: FastifyInstance): void
  /** Recover the runs that an earlier service left unfinished. */
  start(): Promise<void>
  /** The next service continues the runs. */
  close(): void
}

/** Wires workflows and their runs. */
export function createWorkflows(
  context: ServiceContext,
  training: { readonly gateway: TrainingGateway; readonly capacity: () => Promise<Capacity> },
): Workflows {
  const { folder, database, roots, log, settings } = context
  const { cached, store, cache } = openCache(context)
  const datasets = new DatasetSource(context)
  const events = new WorkflowEvents()
  const repository = new WorkflowsRepository(database)
  const project = (workflowId: string) => new ProjectFolder(folder.workflow(workflowId), roots.folders)
  const checkContext = (workflowId: string) => ({ roots, datasets, project: project(workflowId) })

  const cleanup = new ArtifactCleanup({
    cache,
    repository: cached,
    store,
    isIdle: () => runs.idle,
    seconds: settings.cacheSeconds,
    log,
  })
  const runs = new RunsService({
    service: context,
    workflows: repository,
    repository: new RunsRepository(database),
    cache,
    store,
    sources: new SourceDigests(context, datasets),
    executors: { datasets, trainings: training.gateway },
    events,
    capacity: training.capacity,
    checkContext,
    project,
    onIdle: () => cleanup.onIdle(),
  })
  const service = new WorkflowsService({
    repository,
    cache,
    checkContext,
    project,
    whileDeleting: (workflowId, remove) => runs.whileDeleting(workflowId, remove),
    onCleared: () => cleanup.run(),
    log,
  })
  return {
    routes: workflowsRoutes(service, runs, cache),
    registerSockets: (app) =>
      bindWorkflowSocket(app, {
        events,
        has: (workflowId) => repository.has(workflowId),
        status: (workflowId) => runs.status(workflowId),
      }),
    async start() {
      await runs.start()
      cleanup.run()
    },
    close() {
      cleanup.stop()
      runs.close()
    },
  }
}

function openCache({ folder, database, settings, log }: ServiceContext) {
  const cached = new CacheRepository(database)
  const store = new ArtifactStore(folder.artifacts)
  const cache = new DiskCache({
    repository: cached,
    store,
    dataDir: folder.path,
    timeToLive: settings.cacheSeconds * 1000,
    warn: (fault, key) => log.warn({ key }, `a cached result is computed again: ${fault}`),
  })
  return { cached, store, cache }
}
