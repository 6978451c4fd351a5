import { randomUUID } from 'node:crypto'
import {
  type ConfigurationOfWorkflow,
  messageOf,
  phrase,
  type RouteRequest,
  suggest,
  type Workflow,
  type WorkflowResponse,
  type WorkflowTemplate,
} from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { KeyedMutex } from '../concurrency/keyed-mutex.js'
import { AppError, refusal } from '../errors.js'
import type { Remember } from '../http/idempotency/idempotency.js'
import { writeTextAtomically } from '../storage/files.js'
import type { DiskCache } from './cache/disk-cache.js'
import { type CheckContext, checkWorkflow } from './check-workflow.js'
import { configurationOfDocument } from './configuration/configuration.service.js'
import type { WorkflowDeletions } from './deletion/workflow-deletions.js'
import { limitIssues } from './limit-issues.js'
import { configurationFile } from './project/configuration-file.js'
import type { ProjectFolder } from './project/project-folder.js'
import { templatesFor } from './templates.js'
import { unknownWorkflow } from './workflow-errors.js'
import { workflowOf } from './workflow-of.js'
import type { StoredWorkflow, WorkflowsRepository } from './workflows.repository.js'

/** A name is compared with at most this many others, because comparisons are slow. */
const MAX_COMPARED = 1000

export interface WorkflowsOptions {
  readonly repository: WorkflowsRepository
  readonly cache: DiskCache
  readonly checkContext: CheckContext
  readonly project: (workflowId: string) => ProjectFolder
  /** By workflow: only one task at a time writes or removes its folder. */
  readonly folders: KeyedMutex
  readonly deletions: WorkflowDeletions
  /** @throws AppError WORKFLOW_RUNNING when the workflow has an active run. */
  readonly whileDeleting: (workflowId: string, mark: () => Promise<void>) => Promise<void>
  readonly onCleared: () => void
  readonly log: FastifyBaseLogger
}

/** Saved workflows: create, read, replace, delete. Issues of a workflow are reported; they prevent only its runs. */
export class WorkflowsService {
  constructor(private readonly options: WorkflowsOptions) {}

  /** @throws AppError WORKFLOW_INVALID when the body is not a saved workflow. */
  async create(
    body: Record<string, unknown>,
    owner: string | null,
    remember: Remember,
    signal?: AbortSignal,
  ): Promise<WorkflowResponse> {
    const workflow = await workflowOf(body, signal)
    const { repository } = this.options
    const workflowId = randomUUID()
    const issues = await this.#issues(workflow, signal)
    const answer = await repository.database.transaction().execute(async (transaction) => {
      const stored = await repository.insert(workflowId, workflow, transaction, owner)
      const answer = answerOf(stored, issues)
      await remember(transaction, answer)
      return answer
    })
    await this.#save(answer)
    return answer
  }

  async get(workflowId: string, signal?: AbortSignal): Promise<WorkflowResponse> {
    const stored = await this.#find(workflowId)
    const draft = await this.options.repository.revisions.draftTime(workflowId)
    return answerOf(stored, await this.#issues(stored.workflow, signal), draft)
  }

  /** @throws AppError REVISION_CONFLICT when `revision` is given and is not the current one. */
  async update(
    workflowId: string,
    { revision, ...body }: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<WorkflowResponse> {
    const workflow = await workflowOf(body, signal)
    const { repository } = this.options
    const issues = await this.#issues(workflow, signal)
    const stored = await repository.database.transaction().execute(async (transaction) => {
      const current = await repository.revision(workflowId, transaction)
      if (current === undefined) throw unknownWorkflow()
      const expected = typeof revision === 'number' ? revision : current
      const updated = await repository.update(workflowId, workflow, expected, transaction)
      if (updated) return updated
      throw new AppError(
        'REVISION_CONFLICT',
        phrase('revision_not_latest', { revision: String(expected), latest: String(current) }),
      )
    })
    const answer = answerOf(stored, issues)
    await this.#save(answer)
    return answer
  }

  /** The deletion is final when this resolves, even if data remains to be removed. @throws AppError WORKFLOW_RUNNING */
  async remove(workflowId: string): Promise<void> {
    const { repository, deletions, whileDeleting } = this.options
    if (!(await repository.has(workflowId))) throw unknownWorkflow()
    await whileDeleting(workflowId, () => deletions.mark(workflowId))
    await deletions.remove(workflowId)
  }

  /** @throws AppError like configurationOfDocument. */
  configurationOf(
    request: RouteRequest<'configurationOfWorkflow'>['body'],
    signal?: AbortSignal,
  ): Promise<ConfigurationOfWorkflow> {
    return configurationOfDocument(request, this.options.checkContext, signal)
  }

  /** @throws AppError DATASET_NOT_FOUND */
  templatesFor(datasetId: string | undefined): Promise<WorkflowTemplate[]> {
    return templatesFor(datasetId, this.options.checkContext)
  }

  /** @throws AppError INVALID_REQUEST when the node does not exist in the workflow. */
  async clearCache(workflowId?: string, node?: string): Promise<number> {
    if (workflowId !== undefined) {
      const { workflow } = await this.#find(workflowId)
      if (node !== undefined) refuseUnknown(node, workflow)
    }
    const cleared = await this.options.cache.clear({
      ...(workflowId === undefined ? {} : { workflow: workflowId }),
      ...(node === undefined ? {} : { node }),
    })
    this.options.onCleared()
    return cleared
  }

  /** @param signal aborted when nobody waits for them any more */
  async #issues(workflow: Workflow, signal: AbortSignal | undefined) {
    return limitIssues((await checkWorkflow(workflow, this.options.checkContext, signal)).issues)
  }

  /** Files for reading and copying; the database is authoritative. An outdated revision is not written: a later save or removal follows. */
  async #save(answer: WorkflowResponse): Promise<void> {
    const { workflow_id, revision, workflow } = answer
    const { repository, log } = this.options
    const project = this.options.project(workflow_id)
    await this.options.folders.run(workflow_id, async () => {
      try {
        if ((await repository.revision(workflow_id)) !== revision) return
        await project.save(workflow)
        await writeTextAtomically(`${project.path}/config.yaml`, await configurationFile(answer))
      } catch (error) {
        log.warn({ err: error, workflow_id }, 'the project folder of a workflow could not be written')
      }
    })
  }

  async #find(workflowId: string): Promise<StoredWorkflow> {
    const stored = await this.options.repository.find(workflowId)
    if (!stored) throw unknownWorkflow()
    return stored
  }
}

function answerOf(
  { workflow_id, revision, workflow }: StoredWorkflow,
  issues: WorkflowResponse['issues'],
  draft?: string,
): WorkflowResponse {
  return { workflow_id, revision, workflow, issues, draft_updated_at: draft ?? null }
}

function refuseUnknown(node: string, { nodes }: Workflow): void {
  const ids = nodes.map(({ id }) => id)
  if (ids.includes(node)) return
  throw refusal([
    {
      path: 'node',
      code: 'UNKNOWN_NODE',
      ...messageOf(phrase('not_a_node', { node })),
      ...suggest(node, ids.slice(0, MAX_COMPARED), phrase('clear_all_results')),
    },
  ])
}
