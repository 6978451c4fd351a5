import {
  type Clock,
  ResourceSemaphore,
  type RunResult,
  runWorkflow,
  SingleFlight,
  type SupplyImplicit,
} from '@medloom/workflow'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { after } from '../../concurrency/timer.js'
import type { ServiceContext } from '../../context.js'
import type { Capacity } from '../../ports/launcher.js'
import type { SoftwareVersions } from '../../ports/software-versions.js'
import type { DeviceSlots } from '../../training/scheduling/device-slots.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import type { DiskCache } from '../cache/disk-cache.js'
import type { CheckedWorkflow } from '../check-workflow.js'
import { type CustomWorkers, customExecutors } from '../custom/custom-executors.js'
import type { ExecutionContext } from '../executors/executor.js'
import { createExecutors, type ExecutorParts, nativeHash } from '../executors/index.js'
import { failingAsNode } from '../executors/node-failure.js'
import type { OutputFiles } from '../outputs/output-files.js'
import { createFilePlacer } from '../project/place-files.js'
import type { ProjectFolder } from '../project/project-folder.js'
import type { WorkflowEvents } from '../socket/workflow-events.js'
import type { SourceDigests } from '../sources/source-digests.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import { ActiveRun } from './active-run.js'
import { finishRun } from './finish-run.js'
import { resourcesOf } from './resources.js'
import type { Runnable } from './run-planner.js'
import { goalsOf, type RunsRepository, type StoredRun } from './runs.repository.js'

export interface ActiveRunsOptions {
  readonly service: ServiceContext
  readonly workflows: WorkflowsRepository
  readonly repository: RunsRepository
  readonly cache: DiskCache
  readonly store: ArtifactStore
  readonly outputFiles: OutputFiles
  readonly sources: SourceDigests
  readonly software: SoftwareVersions
  readonly implicitInput: SupplyImplicit
  readonly executors: ExecutorParts
  readonly custom: CustomWorkers
  readonly events: WorkflowEvents
  /** Devices and slots for training, and accelerator slots for computations of nodes. */
  readonly training: { readonly capacity: () => Promise<Capacity>; readonly slots: DeviceSlots }
  readonly project: (workflowId: string) => ProjectFolder
  /** Called at the moment a run becomes active. */
  readonly onBegun: () => void
}

/** The active runs: at most one per workflow, workflows in parallel. They share resources and computations. */
export class ActiveRuns {
  readonly #active = new Map<string, ActiveRun>()
  readonly #resources: ResourceSemaphore
  readonly #singleFlight = new SingleFlight()

  constructor(
    private readonly options: ActiveRunsOptions,
    private readonly onEnded: () => void,
  ) {
    const { settings, pool } = options.service
    const here = resourcesOf({ accelerators: [], maxJobs: settings.maxJobs })
    this.#resources = new ResourceSemaphore(here)
    // Tasks beyond the current size of the cluster wait for one of its slots, as they would here.
    let most = here.cpu
    pool.onClusterSize((nodes) => {
      this.#resources.add('cpu', nodes - most)
      most = Math.max(most, nodes)
    })
  }

  get isEmpty(): boolean {
    return this.#active.size === 0
  }

  get(workflowId: string): ActiveRun | undefined {
    return this.#active.get(workflowId)
  }

  /** Detecting the GPUs of the machine takes seconds: runs start before the result. */
  async findResources(): Promise<void> {
    const capacity = await this.options.training.capacity()
    const known = resourcesOf({ ...capacity, accelerators: [] })
    this.#resources.add('gpu', resourcesOf(capacity).gpu - known.gpu)
  }

  start(run: StoredRun, { checked, nodes }: Runnable): void {
    const { repository, events, service } = this.options
    const project = this.options.project(run.workflow_id)
    const onEnded = () => this.#active.delete(run.workflow_id)
    const active = new ActiveRun({ run, nodes, repository, events, project, log: service.log, onEnded })
    this.#active.set(run.workflow_id, active)
    this.options.onBegun()
    void this.#execute(active, checked, project).then(this.onEnded)
  }

  /** The next service continues the runs. */
  detach(): void {
    for (const active of this.#active.values()) active.detach()
  }

  async #execute(active: ActiveRun, checked: CheckedWorkflow, project: ProjectFolder): Promise<void> {
    const { service, cache, store, outputFiles, repository, workflows } = this.options
    const { sources, software, implicitInput, executors, custom, training } = this.options
    const { run } = active
    const context: ExecutionContext = {
      service,
      store,
      slots: training.slots,
      workflow_id: run.workflow_id,
      run_id: run.run_id,
      owner: run.owner,
      workflow: run.workflow,
      forced: new Set(run.force),
    }
    let result: RunResult | undefined
    try {
      await project
        .create()
        .catch((error) => service.log.warn({ err: error }, 'the project folder could not be created'))
      await cache.preload(run.workflow_id)
      result = await runWorkflow({
        workflow: run.workflow_id,
        validated: checked.validated,
        issues: checked.more,
        ...goalsOf(run),
        executors: {
          ...createExecutors(executors, context),
          ...customExecutors(checked.validated.catalog, custom, context),
        },
        cache,
        clock: CLOCK,
        resources: this.#resources,
        singleFlight: this.#singleFlight,
        sourceDigest: failingAsNode(sources.digest),
        software: software.get,
        implicitInput,
        place: createFilePlacer(project, {
          store,
          folder: service.outputs,
          files: outputFiles,
          owner: run.owner,
        }),
        cancellation: active.cancellation,
        onEvent: (event) => active.take(event),
        hash: nativeHash,
        pause: yieldIfDue,
      })
    } catch (error) {
      service.log.error({ err: error, run_id: run.run_id }, 'a run failed because of a defect')
    }
    if (!active.detached)
      await finishRun({ active, result, repository, workflows, store, project, log: service.log })
  }
}

const CLOCK: Clock = { now: () => Date.now(), after }
