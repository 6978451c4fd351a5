import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { KeyedMutex } from '../concurrency/keyed-mutex.js'
import type { ServiceContext } from '../context.js'
import type { Capacity } from '../ports/launcher.js'
import { SoftwareVersions } from '../ports/software-versions.js'
import type { TaskPool } from '../ports/task-pool.js'
import { removeDurably } from '../storage/files.js'
import { makeInnerFolder } from '../storage/own-folder.js'
import type { DeviceSlots } from '../training/scheduling/device-slots.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { ArtifactCleanup } from './artifact-cleanup.js'
import { ArtifactStore } from './cache/artifact-store.js'
import { CacheRepository } from './cache/cache.repository.js'
import { DiskCache } from './cache/disk-cache.js'
import { CustomNodes } from './custom/custom-nodes.js'
import { DeletionsRepository } from './deletion/deletions.repository.js'
import { WorkflowDeletions } from './deletion/workflow-deletions.js'
import { supplyImplicit } from './executors/implicit-inputs.js'
import { type NodeRoutes, nodesRoutes } from './nodes.routes.js'
import { OutputFiles } from './outputs/output-files.js'
import { WrittenFilesRepository } from './outputs/written-files.repository.js'
import { PreviewsService } from './preview/previews.service.js'
import { ProjectFolder } from './project/project-folder.js'
import { RevisionsService } from './revisions/revisions.service.js'
import { RunsRepository } from './runs/runs.repository.js'
import { RunsService } from './runs/runs.service.js'
import { WorkflowEvents } from './socket/workflow-events.js'
import { bindWorkflowSocket } from './socket/workflow-socket.js'
import { DatasetSource } from './sources/dataset-source.js'
import { ModelSource } from './sources/model-source.js'
import { SourceDigests } from './sources/source-digests.js'
import { WorkflowReader } from './workflow-reader.js'
import { WorkflowsRepository } from './workflows.repository.js'
import {
  type WorkflowReadRoutes,
  type WorkflowRoutes,
  workflowControlRoutes,
  workflowReadRoutes,
} from './workflows.routes.js'
import { WorkflowsService } from './workflows.service.js'

export interface Workflows {
  readonly routes: WorkflowRoutes & NodeRoutes
  registerSockets(app: FastifyInstance): void
  /** Recover the runs that an earlier service left unfinished; remaining data of deleted workflows is removed meanwhile. */
  start(): Promise<void>
  /** The next service continues the runs. */
  close(): Promise<void>
}

/** Functions of the training domain that nodes use. */
export interface TrainingOfWorkflows {
  readonly gateway: TrainingGateway
  readonly capacity: () => Promise<Capacity>
  readonly slots: DeviceSlots
}

/**
 * Creates and connects workflows and their runs.
 * @param openPool opens the processes of custom nodes, which log to the folder
 */
export function createWorkflows(
  context: ServiceContext,
  training: TrainingOfWorkflows,
  openPool: (logs: string) => TaskPool,
): Workflows {
  const { folder, database, roots, outputs, log } = context
  const { cached, store, cache } = openCache(context)
  const { sources, ...outside } = openSources(context)
  const events = new WorkflowEvents()
  const repository = new WorkflowsRepository(database)
  const software = new SoftwareVersions(context.pool)
  const project = (workflowId: string) => new ProjectFolder(folder.workflow(workflowId))
  const custom = openCustom(context, openPool)
  const checkContext = { roots, ...outside, outputs, custom: custom.nodes }

  const cleanup = openCleanup(context, { cache, cached, store }, () => runs.idle)
  const runs = new RunsService({
    service: context,
    workflows: repository,
    repository: new RunsRepository(database),
    cache,
    store,
    outputFiles: new OutputFiles(new WrittenFilesRepository(database)),
    sources,
    software,
    implicitInput: supplyImplicit({ service: context, store }),
    executors: { ...outside, trainings: training.gateway },
    custom: { folder: custom.nodes.folder, pool: custom.pool },
    events,
    training,
    checkContext,
    project,
    onBegun: () => cleanup.onBegun(),
    onIdle: () => cleanup.onIdle(),
  })
  const deleting = openDeletions(context, cache, () => cleanup.run())
  const service = new WorkflowsService({
    repository,
    ...deleting,
    cache,
    checkContext,
    project,
    whileDeleting: (workflowId, mark) => runs.whileDeleting(workflowId, mark),
    onCleared: () => cleanup.run(),
    log,
  })
  const previews = openPreviews(context, repository, store, cache)
  return {
    routes: {
      ...openWorkflowReads(context),
      ...workflowControlRoutes(service, runs, cache, previews),
      ...nodesRoutes(custom.nodes),
    },
    registerSockets: (app) =>
      bindWorkflowSocket(app, {
        ...{ events, has: (workflowId) => repository.has(workflowId) },
        status: (workflowId) => runs.status(workflowId),
      }),
    async start() {
      // Determined before the first plan, if possible. Code that needs the versions requests them again and reports errors.
      software.get().catch(() => undefined)
      await runs.start()
      cleanup.run()
      void deleting.deletions.resume()
    },
    async close() {
      cleanup.stop()
      runs.close()
      await deleting.deletions.close()
      await custom.pool.close()
    },
  }
}

/** Datasets and models that nodes name, and the digests of everything outside a workflow. */
function openSources(context: ServiceContext) {
  const datasets = new DatasetSource(context)
  const models = new ModelSource(context)
  return { datasets, models, sources: new SourceDigests(context, datasets, models) }
}

/** Routes of every process. */
export function openWorkflowReads({ database }: Pick<ServiceContext, 'database'>): WorkflowReadRoutes {
  const workflows = new WorkflowsRepository(database)
  return workflowReadRoutes(
    new WorkflowReader(workflows, new RunsRepository(database)),
    new RevisionsService({ database, workflows, revisions: workflows.revisions }),
  )
}

function openPreviews(
  service: ServiceContext,
  workflows: WorkflowsRepository,
  store: ArtifactStore,
  cache: DiskCache,
) {
  return new PreviewsService({ service, workflows, runs: new RunsRepository(service.database), cache, store })
}

/** Their processes are separate from those of the built-in nodes. */
function openCustom({ settings, folder }: ServiceContext, openPool: (logs: string) => TaskPool) {
  const logs = join(folder.logs, 'nodes')
  if (settings.nodes) makeInnerFolder(logs)
  const pool = openPool(logs)
  return { pool, nodes: new CustomNodes(settings.nodes ?? null, pool) }
}

function openDeletions({ folder, database, log }: ServiceContext, cache: DiskCache, onRemoved: () => void) {
  const folders = new KeyedMutex()
  const deletions = new WorkflowDeletions({
    repository: new DeletionsRepository(database),
    cache,
    removeFolder: (workflowId) => folders.run(workflowId, () => removeDurably(folder.workflow(workflowId))),
    onRemoved,
    log,
  })
  return { folders, deletions }
}

function openCleanup(
  { settings, log }: ServiceContext,
  { cache, cached, store }: ReturnType<typeof openCache>,
  isIdle: () => boolean,
) {
  const seconds = settings.cacheSeconds
  return new ArtifactCleanup({ cache, repository: cached, store, isIdle, seconds, log })
}

function openCache({ folder, database, settings, log }: ServiceContext) {
  const cached = new CacheRepository(database)
  const store = new ArtifactStore(folder.artifacts)
  const cache = new DiskCache({
    repository: cached,
    store,
    dataDir: folder.path,
    timeToLive: settings.cacheSeconds * 1000,
    warn: (fault, key) => log.warn({ key }, `a cached result must be computed again: ${fault}`),
  })
  return { cached, store, cache }
}
