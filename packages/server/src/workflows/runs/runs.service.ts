import { randomUUID } from 'node:crypto'
import type {
  ExecuteRequest,
  NodeState,
  PlanRequest,
  RunAnswer,
  RunRecord,
  WorkflowIssue,
  WorkflowPlan,
  WorkflowStatus,
} from '@medloom/contracts'
import {
  type Clock,
  Flights,
  forceOfResume,
  type Planned,
  plan,
  type ResultCache,
  type RunResult,
  readsOutside,
  runWorkflow,
  Tokens,
} from '@medloom/workflow'
import type { z } from 'zod'
import type { ServiceContext } from '../../context.js'
import { AppError } from '../../errors.js'
import type { Remember } from '../../http/idempotency.js'
import type { Page } from '../../http/pagination.js'
import type { Machine } from '../../training/scheduler.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import { type CheckedWorkflow, checkWorkflow, type Surroundings } from '../check-workflow.js'
import { createExecutors, type ExecutorParts, nativeHash } from '../executors/index.js'
import type { Live } from '../live.js'
import type { ProjectFolder } from '../project-folder.js'
import { eachAtMost } from '../sources/each-at-most.js'
import type { SourceDigests } from '../sources/source-digests.js'
import { notRunnable } from '../workflow-errors.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import { ActiveRun } from './active-run.js'
import { finishRun } from './finish-run.js'
import { resourcesOf } from './resources.js'
import type { RunsRepository, StoredRun } from './runs.repository.js'

type Execute = z.output<typeof ExecuteRequest>
type Request = z.output<typeof PlanRequest>

export interface RunsOptions {
  readonly context: ServiceContext
  readonly workflows: WorkflowsRepository
  readonly repository: RunsRepository
  readonly cache: ResultCache
  readonly store: ArtifactStore
  readonly sources: SourceDigests
  readonly executors: ExecutorParts
  readonly live: Live
  /** What there is to compute on. */
  readonly machine: () => Promise<Machine>
  readonly surroundings: (workflowId: string) => Surroundings
  readonly project: (workflowId: string) => ProjectFolder
  /** Nothing runs any more. */
  readonly onIdle: () => void
}

/** A run that services died over so often is not taken up once more. */
const MOST_ATTEMPTS = 5
const HASHES_AT_ONCE = 8

/** What can be asked of runs. One run of a workflow at a time; workflows run beside each other and share resources and computations. */
export class RunsService {
  readonly #active = new Map<string, ActiveRun>()
  /** Workflows whose run is being accepted. */
  readonly #accepting = new Set<string>()
  /** Workflows that are being deleted. */
  readonly #leaving = new Set<string>()
  readonly #tokens: Tokens
  readonly #flights = new Flights()
  #closed = false

  constructor(private readonly options: RunsOptions) {
    const { maxJobs } = options.context.settings
    this.#tokens = new Tokens(resourcesOf({ accelerators: [], maxJobs }))
  }

  get idle(): boolean {
    return this.#active.size === 0 && this.#accepting.size === 0
  }

  #isRunning(workflowId: string): boolean {
    return this.#active.has(workflowId) || this.#accepting.has(workflowId)
  }

  /** Delete a workflow: no run is under way, and none begins meanwhile. @throws AppError WORKFLOW_RUNNING */
  async whileDeleting(workflowId: string, remove: () => Promise<void>): Promise<void> {
    if (this.#isRunning(workflowId)) throw running()
    if (this.#leaving.has(workflowId)) throw unknownWorkflow()
    this.#leaving.add(workflowId)
    try {
      await remove()
    } finally {
      this.#leaving.delete(workflowId)
    }
  }

  /** What a run would do, and why. @throws AppError WORKFLOW_INVALID, WORKFLOW_CYCLE with all issues. */
  async plan(workflowId: string, request: Request): Promise<z.infer<typeof WorkflowPlan>> {
    const { workflow } = await this.#find(workflowId)
    const resumed = await this.#resumed(workflowId, request)
    const checked = await checkWorkflow(workflow, this.options.surroundings(workflowId))
    const { steps, counts } = await this.#planned(workflowId, checked, resumed)
    return { workflow_id: workflowId, steps: [...steps], counts }
  }

  /** Begin a run. @throws AppError as plan does, and WORKFLOW_RUNNING. */
  async execute(
    workflowId: string,
    request: Execute,
    remember: Remember,
  ): Promise<z.infer<typeof RunAnswer>> {
    const { repository } = this.options
    if (this.#isRunning(workflowId)) throw running()
    if (this.#leaving.has(workflowId)) throw unknownWorkflow()
    this.#accepting.add(workflowId)
    try {
      const { workflow, revision } = await this.#find(workflowId)
      const resumed = await this.#resumed(workflowId, request)
      const checked = await checkWorkflow(workflow, this.options.surroundings(workflowId))
      const planned = await this.#planned(workflowId, checked, resumed)
      const run = {
        run_id: randomUUID(),
        workflow_id: workflowId,
        revision,
        workflow,
        targets: resumed.targets ?? null,
        force: resumed.force ?? [],
        from_run: request.from_run ?? null,
        attempt: 1,
        created_at: new Date().toISOString(),
      }
      const answer = { workflow_id: workflowId, run_id: run.run_id, status: 'pending' as const }
      await repository.database.transaction().execute(async (transaction) => {
        await repository.insert(run, transaction)
        await remember(transaction, answer)
      })
      this.#begin(
        { ...run, status: 'pending', reason: null, progress: 0, request: null, ended_at: null },
        checked,
        planned,
      )
      return answer
    } finally {
      this.#accepting.delete(workflowId)
    }
  }

  /** Ends within seconds: what runs is told, then left behind. @throws AppError WORKFLOW_NOT_RUNNING when nothing runs. */
  async cancel(workflowId: string): Promise<z.infer<typeof RunAnswer>> {
    if (!(await this.options.workflows.has(workflowId))) throw unknownWorkflow()
    const active = this.#active.get(workflowId)
    if (!active) throw new AppError('WORKFLOW_NOT_RUNNING', 'no run of this workflow is under way')
    const { run_id } = active.run
    await this.options.repository.update(run_id, { request: 'cancel' })
    active.cancellation.request()
    await active.ended
    return { workflow_id: workflowId, run_id, status: active.status }
  }

  async status(workflowId: string, runId?: string): Promise<WorkflowStatus> {
    const active = this.#active.get(workflowId)
    if (active && (runId === undefined || runId === active.run.run_id)) return active.state()
    if (!(await this.options.workflows.has(workflowId))) throw unknownWorkflow()
    const run =
      runId === undefined
        ? await this.options.repository.latest(workflowId)
        : await this.#findRun(workflowId, runId)
    if (!run) return { workflow_id: workflowId, run_id: null, status: 'pending', progress: 0, nodes: {} }
    const states = await this.options.repository.nodes(run.run_id)
    const nodes = Object.fromEntries(
      run.workflow.nodes.flatMap(({ id }) => (states[id] ? [[id, states[id]] as const] : [])),
    )
    return { workflow_id: workflowId, run_id: run.run_id, status: run.status, progress: run.progress, nodes }
  }

  async list(workflowId: string, size: number, token: string | undefined): Promise<Page<RunRecord>> {
    if (!(await this.options.workflows.has(workflowId))) throw unknownWorkflow()
    return this.options.repository.list(workflowId, size, token)
  }

  /**
   * Take up the runs that an earlier service left. They go on under their own id: what had finished is cached, a training that runs is
   * followed again, and what was forced and has succeeded is not forced once more.
   */
  async start(): Promise<void> {
    const { repository, context } = this.options
    void this.#findResources()
    for (const run of await repository.unfinished()) {
      const nodes = await repository.nodes(run.run_id)
      const force = forceOfResume(run.force, nodes)
      try {
        if (run.request === 'cancel') throw new Error('it was cancelled when the service ended')
        if (run.attempt >= MOST_ATTEMPTS)
          throw new Error(`the service ended ${run.attempt} times while it ran`)
        const checked = await checkWorkflow(run.workflow, this.options.surroundings(run.workflow_id))
        const planned = await this.#planned(run.workflow_id, checked, requestOf({ ...run, force }))
        await repository.update(run.run_id, { attempt: run.attempt + 1 })
        this.#begin({ ...run, force, status: 'pending' }, checked, planned)
      } catch (error) {
        context.log.warn({ err: error, run_id: run.run_id }, 'a run could not be taken up again')
        await this.#abandon(run, nodes, (error as Error).message)
      }
    }
  }

  /** Runs go on in the next service. */
  close(): void {
    this.#closed = true
    for (const active of this.#active.values()) active.detach()
  }

  /** Asking the machine for its GPUs takes seconds: nobody waits for the answer. */
  async #findResources(): Promise<void> {
    const machine = await this.options.machine()
    const known = resourcesOf({ ...machine, accelerators: [] })
    this.#tokens.add('gpu', resourcesOf(machine).gpu - known.gpu)
  }

  #begin(
    run: StoredRun,
    checked: CheckedWorkflow,
    { steps }: Pick<Extract<Planned, { ok: true }>, 'steps'>,
  ): void {
    const { repository, live, context } = this.options
    const project = this.options.project(run.workflow_id)
    const needed = new Set(steps.filter(({ action }) => action !== 'skip').map(({ node }) => node))
    const nodes = run.workflow.nodes.map(({ id }) => id).filter((id) => needed.has(id))
    const onEnded = () => this.#active.delete(run.workflow_id)
    const active = new ActiveRun({ run, nodes, repository, live, project, log: context.log, onEnded })
    this.#active.set(run.workflow_id, active)
    void this.#carryOut(active, checked, project)
  }

  async #carryOut(active: ActiveRun, checked: CheckedWorkflow, project: ProjectFolder): Promise<void> {
    const { context, cache, store, sources, executors, repository, workflows } = this.options
    const { run } = active
    const workplace = {
      context,
      store,
      project,
      workflow_id: run.workflow_id,
      run_id: run.run_id,
      workflow: run.workflow,
      forced: new Set(run.force),
    }
    let result: RunResult | undefined
    try {
      await project
        .create()
        .catch((error) => context.log.warn({ err: error }, 'a project folder could not be made'))
      result = await runWorkflow({
        workflow: run.workflow_id,
        validated: checked.validated,
        issues: checked.more,
        ...requestOf(run),
        executors: createExecutors(executors, workplace) as never,
        cache,
        clock: CLOCK,
        tokens: this.#tokens,
        flights: this.#flights,
        sourceDigest: sources.of,
        cancellation: active.cancellation,
        onEvent: (event) => active.take(event),
        hash: nativeHash,
      })
    } catch (error) {
      context.log.error({ err: error, run_id: run.run_id }, 'a run ended by a defect')
    }
    if (!active.detached)
      await finishRun({ active, result, repository, workflows, store, project, log: context.log })
    if (this.idle && !this.#closed) this.options.onIdle()
  }

  async #planned(
    workflowId: string,
    { validated, more, issues }: CheckedWorkflow,
    request: { targets?: readonly string[]; force?: readonly string[] },
  ): Promise<Extract<Planned, { ok: true }>> {
    const made = await this.options.repository.made(workflowId)
    const knowledge = {
      cache: this.options.cache,
      previous: made,
      issues: more,
      hash: nativeHash,
    }
    const blocked = plan(validated, request, { ...knowledge, cache: { peek: () => undefined } })
    if (!blocked.ok)
      throw notRunnable(request.targets ? blocked.issues : withWarnings(blocked.issues, issues))
    const wanted = new Set(blocked.steps.filter(({ action }) => action !== 'skip').map(({ node }) => node))
    const planned = plan(validated, request, {
      ...knowledge,
      sources: await this.#sourcesOf(validated, wanted),
    })
    if (!planned.ok) throw notRunnable(planned.issues)
    return planned
  }

  async #sourcesOf(
    { graph, definitions, configs }: CheckedWorkflow['validated'],
    wanted: ReadonlySet<string>,
  ): Promise<Map<string, string>> {
    const sources = new Map<string, string>()
    const reading = graph.nodes.flatMap((node, number) => {
      const definition = definitions[number]
      const config = configs[number]
      return definition && config && wanted.has(node.id) && readsOutside(definition, config)
        ? [{ node, config }]
        : []
    })
    await eachAtMost(HASHES_AT_ONCE, reading, async ({ node, config }) => {
      try {
        sources.set(node.id, await this.options.sources.of(node, config))
      } catch (error) {
        // Not known: the node says why when it runs.
        if (!(error instanceof AppError)) throw error
      }
    })
    return sources
  }

  /** The targets and forced nodes of a request; those of the run that it resumes count where it names none. */
  async #resumed(workflowId: string, request: Request): Promise<{ targets?: string[]; force: string[] }> {
    const { targets, force = [], from_run } = request
    if (from_run === undefined) return { ...(targets ? { targets } : {}), force }
    const run = await this.#findRun(workflowId, from_run)
    const left = forceOfResume(run.force, await this.options.repository.nodes(run.run_id))
    const goals = targets ?? run.targets
    return { ...(goals ? { targets: goals } : {}), force: [...new Set([...left, ...force])] }
  }

  async #abandon(run: StoredRun, nodes: Readonly<Record<string, NodeState>>, reason: string): Promise<void> {
    const { repository } = this.options
    const cancelled = run.request === 'cancel'
    const states = Object.entries(nodes).map(([node, state]): [string, NodeState] => [
      node,
      state.status === 'pending' || state.status === 'running'
        ? { ...state, status: 'skipped', reason }
        : state,
    ])
    await repository.database.transaction().execute(async (transaction) => {
      await repository.saveNodes(run.run_id, states, transaction)
      const ended_at = new Date().toISOString()
      const status = cancelled ? 'cancelled' : 'error'
      await repository.update(run.run_id, { status, reason, ended_at }, transaction)
    })
  }

  async #findRun(workflowId: string, runId: string): Promise<StoredRun> {
    const run = await this.options.repository.find(runId, workflowId)
    if (!run) throw new AppError('WORKFLOW_RUN_NOT_FOUND', 'this workflow has no run with this id')
    return run
  }

  async #find(workflowId: string) {
    const found = await this.options.workflows.find(workflowId)
    if (!found) throw unknownWorkflow()
    return found
  }
}

const CLOCK: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

function requestOf({ targets, force }: Pick<StoredRun, 'targets' | 'force'>) {
  return { ...(targets ? { targets } : {}), force }
}

function withWarnings(blocking: readonly WorkflowIssue[], all: readonly WorkflowIssue[]): WorkflowIssue[] {
  return [...blocking, ...all.filter((issue) => !blocking.includes(issue))]
}

export function unknownWorkflow(): AppError {
  return new AppError('WORKFLOW_NOT_FOUND', 'there is no workflow with this id')
}

function running(): AppError {
  return new AppError('WORKFLOW_RUNNING', 'a run of this workflow is under way')
}
