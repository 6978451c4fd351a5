import { type Clock, ResourceSemaphore, type RunResult, runWorkflow, SingleFlight } from '@medloom/workflow'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import type { ServiceContext } from '../../context.js'
import type { Capacity } from '../../launchers/launcher.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import type { DiskCache } from '../cache/disk-cache.js'
import type { CheckedWorkflow } from '../check-workflow.js'
import type { ExecutionContext } from '../executors/executor.js'
import { createExecutors, type ExecutorParts, nativeHash } from '../executors/index.js'
import { placeFiles } from '../project/place-files.js'
import type { ProjectFolder } from '../project/project-folder.js'
import type { WorkflowEvents } from '../socket/workflow-events.js'
import type { SourceDigests } from '../sources/source-digests.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import { ActiveRun } from './active-run.js'
import { finishRun } from './finish-run.js'
import { resourcesOf } from './resources.js'
import type { Runnable } from './run-planner.js'
import { goalsOf, type RunsRepository, type StoredRun } from './runs.repository.js'
import { warningsAbove } from './warnings-above.js'

export interface ActiveRunsOptions {
  readonly service: ServiceContext
  readonly workflows: WorkflowsRepository
  readonly repository: RunsRepository
  readonly cache: DiskCache
  readonly store: ArtifactStore
  readonly sources: SourceDigests
  readonly executors: ExecutorParts
  readonly events: WorkflowEvents
  /** GPUs and slots for trainings. */
  readonly capacity: () => Promise<Capacity>
  readonly project: (workflowId: string) => ProjectFolder
}

/** The runs that are active: at most one per workflow, workflows in parallel. They share resources and computations. */
export class ActiveRuns {
  readonly #active = new Map<string, ActiveRun>()
  readonly #resources: ResourceSemaphore
  readonly #singleFlight = new SingleFlight()

  constructor(
    private readonly options: ActiveRunsOptions,
    private readonly onEnded: () => void,
  ) {
    const { maxJobs } = options.service.settings
    this.#resources = new ResourceSemaphore(resourcesOf({ accelerators: [], maxJobs }))
  }

  get isEmpty(): boolean {
    return this.#active.size === 0
  }

  of(workflowId: string): ActiveRun | undefined {
    return this.#active.get(workflowId)
  }

  /** Asking the machine for its GPUs takes seconds: runs start before the reply. */
  async findResources(): Promise<void> {
    const capacity = await this.options.capacity()
    const known = resourcesOf({ ...capacity, accelerators: [] })
    this.#resources.add('gpu', resourcesOf(capacity).gpu - known.gpu)
  }

  start(run: StoredRun, { checked, nodes }: Runnable): void {
    const { repository, events, service } = this.options
    const project = this.options.project(run.workflow_id)
    const onEnded = () => this.#active.delete(run.workflow_id)
    const active = new ActiveRun({ run, nodes, repository, events, project, log: service.log, onEnded })
    this.#active.set(run.workflow_id, active)
    void this.#execute(active, checked, project).then(this.onEnded)
  }

  /** The next service continues the runs. */
  detach(): void {
    for (const active of this.#active.values()) active.detach()
  }

  async #execute(active: ActiveRun, checked: CheckedWorkflow, project: ProjectFolder): Promise<void> {
    const { service, cache, store, sources, executors, repository, workflows } = this.options
    const { run } = active
    const context: ExecutionContext = {
      service,
      store,
      project,
      workflow_id: run.workflow_id,
      run_id: run.run_id,
      workflow: run.workflow,
      forced: new Set(run.force),
      warningsAbove: (node: string) => warningsAbove(run.workflow, active.nodes, node),
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
        executors: createExecutors(executors, context),
        cache,
        clock: CLOCK,
        resources: this.#resources,
        singleFlight: this.#singleFlight,
        sourceDigest: sources.of,
        place: (outputs) => placeFiles(project, store, outputs),
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

const CLOCK: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
