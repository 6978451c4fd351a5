import { randomUUID } from 'node:crypto'
import {
  type CheckWorkflowRequest,
  type ExecuteRequest,
  type PlanRequest,
  phrase,
  type RunResponse,
  type WorkflowCheck,
  type WorkflowPlan,
  type WorkflowRun,
  type WorkflowRunLog,
  type WorkflowStatus,
} from '@medloom/contracts'
import { forceOfResume } from '@medloom/workflow'
import type { z } from 'zod'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { AppError } from '../../errors.js'
import type { Remember } from '../../http/idempotency/idempotency.js'
import { checkDocument } from '../document-check.js'
import { unknownWorkflow } from '../workflow-errors.js'
import { ActiveRuns, type ActiveRunsOptions } from './active-runs.js'
import { recoverRuns } from './recover-runs.js'
import { readRunLog } from './run-log.js'
import { type PlannerParts, RunPlanner } from './run-planner.js'
import type { StoredRun } from './runs.repository.js'

type Execute = z.output<typeof ExecuteRequest>
type Request = z.output<typeof PlanRequest>

export interface RunsOptions extends PlannerParts, ActiveRunsOptions {
  /** Called when the last run has ended. */
  readonly onIdle: () => void
}

/** Plan, execute, cancel and read the runs of workflows. */
export class RunsService {
  readonly #planner: RunPlanner
  readonly #activeRuns: ActiveRuns
  /** Workflows whose run is being accepted. */
  readonly #accepting = new Set<string>()
  /** Workflows that are being deleted. */
  readonly #deleting = new Set<string>()
  #closed = false

  constructor(private readonly options: RunsOptions) {
    this.#planner = new RunPlanner(options)
    this.#activeRuns = new ActiveRuns(options, () => {
      if (this.idle && !this.#closed) options.onIdle()
    })
  }

  get idle(): boolean {
    return this.#activeRuns.isEmpty && this.#accepting.size === 0
  }

  #isRunning(workflowId: string): boolean {
    return this.#activeRuns.get(workflowId) !== undefined || this.#accepting.has(workflowId)
  }

  /** Mark a workflow as deleted while no run of it is active or can start. @throws AppError WORKFLOW_RUNNING */
  async whileDeleting(workflowId: string, mark: () => Promise<void>): Promise<void> {
    if (this.#isRunning(workflowId)) throw running()
    if (this.#deleting.has(workflowId)) throw unknownWorkflow()
    this.#deleting.add(workflowId)
    try {
      await mark()
    } finally {
      this.#deleting.delete(workflowId)
    }
  }

  /** The steps of a run and their reasons. @throws AppError WORKFLOW_INVALID, WORKFLOW_CYCLE with all issues. */
  async plan(
    workflowId: string,
    request: Request,
    signal?: AbortSignal,
  ): Promise<z.infer<typeof WorkflowPlan>> {
    const { workflow } = await this.#find(workflowId)
    const resumed = await this.#resumed(workflowId, request)
    const { steps, counts } = await this.#planner.plan(workflowId, workflow, resumed, signal)
    return { workflow_id: workflowId, steps: [...steps], counts }
  }

  /** Check a document, saved or not. @throws AppError WORKFLOW_INVALID, WORKFLOW_NOT_FOUND. */
  checkDocument(request: z.output<typeof CheckWorkflowRequest>, signal: AbortSignal): Promise<WorkflowCheck> {
    const { workflows, checkContext } = this.options
    return checkDocument(request, { planner: this.#planner, workflows, checkContext, signal })
  }

  /** Start a run. @throws AppError like `plan`, and WORKFLOW_RUNNING. */
  async execute(
    workflowId: string,
    { owner, ...request }: Execute & Pick<StoredRun, 'owner'>,
    remember: Remember,
  ): Promise<z.infer<typeof RunResponse>> {
    const { repository } = this.options
    if (this.#isRunning(workflowId)) throw running()
    if (this.#deleting.has(workflowId)) throw unknownWorkflow()
    this.#accepting.add(workflowId)
    try {
      const { workflow, digest, revision } = await this.#find(workflowId)
      const resumed = await this.#resumed(workflowId, request)
      const runnable = await this.#planner.check(workflow, resumed)
      const run = {
        run_id: randomUUID(),
        workflow_id: workflowId,
        revision,
        digest,
        workflow,
        targets: resumed.targets ?? null,
        force: resumed.force ?? [],
        from_run: request.from_run ?? null,
        attempt: 1,
        owner,
        created_at: new Date().toISOString(),
      }
      const answer = { workflow_id: workflowId, run_id: run.run_id, status: 'pending' as const }
      await yieldIfDue()
      await repository.database.transaction().execute(async (transaction) => {
        await repository.insert(run, transaction)
        await remember(transaction, answer)
      })
      this.#activeRuns.start(
        { ...run, status: 'pending', reason: null, progress: 0, request: null, ended_at: null },
        runnable,
      )
      return answer
    } finally {
      this.#accepting.delete(workflowId)
    }
  }

  /**
   * Ends within seconds: running nodes get a stop request, and the run does not wait for them. @throws AppError WORKFLOW_NOT_RUNNING when
   * there is no active run.
   */
  async cancel(workflowId: string): Promise<z.infer<typeof RunResponse>> {
    if (!(await this.options.workflows.has(workflowId))) throw unknownWorkflow()
    const active = this.#activeRuns.get(workflowId)
    if (!active) throw new AppError('WORKFLOW_NOT_RUNNING', phrase('no_active_run'))
    const { run_id } = active.run
    await this.options.repository.update(run_id, { request: 'cancel' })
    active.cancellation.request()
    await active.ended
    return { workflow_id: workflowId, run_id, status: active.status }
  }

  async status(workflowId: string, runId?: string): Promise<WorkflowStatus> {
    const active = this.#activeRuns.get(workflowId)
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

  /** The document as it ran, and the state and time of every node. @throws AppError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND */
  async get(workflowId: string, runId: string): Promise<WorkflowRun> {
    const { nodes, progress } = await this.status(workflowId, runId)
    const { workflow } = await this.#findRun(workflowId, runId)
    const [record] = await this.options.repository.records(1, [runId])
    if (!record) throw unknownRun()
    return { ...record, progress, workflow, nodes }
  }

  /** @throws AppError like `get`. */
  async log(workflowId: string, runId: string, limit: number): Promise<WorkflowRunLog> {
    const { status } = await this.status(workflowId, runId)
    const { lines, truncated } = await readRunLog(this.options.project(workflowId), runId, limit)
    return { workflow_id: workflowId, run_id: runId, status, lines, truncated }
  }

  async start(): Promise<void> {
    void this.#activeRuns.findResources()
    await recoverRuns(this.options, this.#planner, this.#activeRuns)
  }

  /** The next service continues the runs. */
  close(): void {
    this.#closed = true
    this.#activeRuns.detach()
  }

  /** The targets and forced nodes of a request; if it names none, those of the run that it resumes are used. */
  async #resumed(workflowId: string, request: Request): Promise<{ targets?: string[]; force: string[] }> {
    const { targets, force = [], from_run } = request
    if (from_run === undefined) return { ...(targets ? { targets } : {}), force }
    const run = await this.#findRun(workflowId, from_run)
    const forced = forceOfResume(run.force, await this.options.repository.nodes(run.run_id))
    const goals = targets ?? run.targets
    return { ...(goals ? { targets: goals } : {}), force: [...new Set([...forced, ...force])] }
  }

  async #findRun(workflowId: string, runId: string): Promise<StoredRun> {
    const run = await this.options.repository.find(runId, workflowId)
    if (!run) throw unknownRun()
    return run
  }

  async #find(workflowId: string) {
    const found = await this.options.workflows.definition(workflowId)
    if (!found) throw unknownWorkflow()
    return found
  }
}

function unknownRun(): AppError {
  return new AppError('WORKFLOW_RUN_NOT_FOUND', phrase('run_unknown'))
}

function running(): AppError {
  return new AppError('WORKFLOW_RUNNING', phrase('has_active_run'))
}
