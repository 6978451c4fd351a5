import {
  type DifferenceQuery,
  differences,
  phrase,
  type SaveDraftRequest,
  type Workflow,
  type WorkflowDifference,
  type WorkflowDraft,
  type WorkflowRevision,
  type WorkflowRevisionDocument,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { Database } from '../../database/database.js'
import { AppError } from '../../errors.js'
import type { Page } from '../../http/pagination.js'
import { unknownWorkflow } from '../workflow-errors.js'
import { workflowOf } from '../workflow-of.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import type { RevisionsRepository } from './revisions.repository.js'

export interface RevisionsOptions {
  readonly database: Database
  readonly workflows: Pick<WorkflowsRepository, 'revision'>
  readonly revisions: RevisionsRepository
}

/** Earlier revisions of workflows, and unsaved drafts. Every method throws WORKFLOW_NOT_FOUND. */
export class RevisionsService {
  constructor(private readonly options: RevisionsOptions) {}

  async list(workflowId: string, size: number, token: string | undefined): Promise<Page<WorkflowRevision>> {
    await this.#standing(workflowId)
    return this.options.revisions.list(workflowId, size, token)
  }

  /** @throws AppError REVISION_NOT_FOUND */
  async get(workflowId: string, revision: number): Promise<WorkflowRevisionDocument> {
    const standing = await this.#standing(workflowId)
    const found = await this.options.revisions.find(workflowId, revision)
    if (found) return { workflow_id: workflowId, ...found }
    throw new AppError(
      'REVISION_NOT_FOUND',
      phrase('revision_not_stored', { revision: String(revision), newest: String(standing) }),
    )
  }

  /** @throws AppError DRAFT_NOT_FOUND */
  async draft(workflowId: string): Promise<WorkflowDraft> {
    await this.#standing(workflowId)
    const found = await this.options.revisions.draft(workflowId)
    if (found) return { workflow_id: workflowId, ...found }
    throw new AppError('DRAFT_NOT_FOUND', phrase('no_draft'))
  }

  /** @throws AppError REVISION_NOT_FOUND, DRAFT_NOT_FOUND */
  async difference(workflowId: string, query: DifferenceQuery): Promise<WorkflowDifference> {
    const otherId = query.other_workflow_id ?? workflowId
    const from = await this.#version(workflowId, query.from)
    const to = await this.#version(otherId, query.to ?? (otherId === workflowId ? 'draft' : 'saved'))
    return { from: from.source, to: to.source, differences: differences(from.workflow, to.workflow) }
  }

  /** @throws AppError WORKFLOW_INVALID, REVISION_CONFLICT when the current revision or draft is not the one that it changes. */
  async saveDraft(
    workflowId: string,
    { base_revision, workflow: document, replaces }: z.output<typeof SaveDraftRequest>,
  ): Promise<{ workflow_id: string; base_revision: number; updated_at: string }> {
    const workflow = { ...(await workflowOf(document)), execution_history: [] }
    const { database, workflows, revisions } = this.options
    const updated_at = new Date().toISOString()
    await database.transaction().execute(async (transaction) => {
      const standing = await workflows.revision(workflowId, transaction)
      if (standing === undefined) throw unknownWorkflow()
      if (standing !== base_revision)
        throw new AppError(
          'REVISION_CONFLICT',
          phrase('revision_not_latest', { revision: String(base_revision), latest: String(standing) }),
        )
      const draft = (await revisions.draftTime(workflowId, transaction)) ?? null
      if (replaces !== undefined && replaces !== draft)
        throw new AppError('REVISION_CONFLICT', phrase('other_draft_stored'))
      await revisions.saveDraft(workflowId, { base_revision, updated_at, workflow }, transaction)
    })
    return { workflow_id: workflowId, base_revision, updated_at }
  }

  async removeDraft(workflowId: string): Promise<{ workflow_id: string }> {
    await this.#standing(workflowId)
    const { database, revisions } = this.options
    await database.transaction().execute((transaction) => revisions.removeDraft(workflowId, transaction))
    return { workflow_id: workflowId }
  }

  async #version(
    workflow_id: string,
    version: number | 'saved' | 'draft',
  ): Promise<{ source: WorkflowDifference['from']; workflow: Workflow }> {
    if (version === 'draft') {
      const { base_revision: revision, workflow } = await this.draft(workflow_id)
      return { source: { workflow_id, version, revision }, workflow }
    }
    const number = version === 'saved' ? await this.#standing(workflow_id) : version
    const { revision, workflow } = await this.get(workflow_id, number)
    return { source: { workflow_id, version: 'revision', revision }, workflow }
  }

  async #standing(workflowId: string): Promise<number> {
    const standing = await this.options.workflows.revision(workflowId)
    if (standing === undefined) throw unknownWorkflow()
    return standing
  }
}
