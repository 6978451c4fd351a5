import { type RunRecord, type WorkflowRecord, writeWorkflow } from '@medloom/contracts'
import type { Page } from '../http/pagination.js'
import type { RunsRepository } from './runs/runs.repository.js'
import { unknownWorkflow } from './workflow-errors.js'
import type { WorkflowsRepository } from './workflows.repository.js'

/** Reads workflows and their runs. @throws AppError WORKFLOW_NOT_FOUND */
export class WorkflowReader {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly runs: Pick<RunsRepository, 'list'>,
  ) {}

  list(size: number, token: string | undefined, owner?: string): Promise<Page<WorkflowRecord>> {
    return this.workflows.list(size, token, owner)
  }

  async export(workflowId: string): Promise<string> {
    const stored = await this.workflows.find(workflowId)
    if (!stored) throw unknownWorkflow()
    return writeWorkflow(stored.workflow)
  }

  async listRuns(
    workflowId: string,
    size: number,
    token: string | undefined,
    owner?: string,
  ): Promise<Page<RunRecord>> {
    if (!(await this.workflows.has(workflowId))) throw unknownWorkflow()
    return this.runs.list(workflowId, size, token, owner)
  }
}
