import type { FastifyBaseLogger } from 'fastify'
import { Timer } from '../../concurrency/timer.js'
import { DELETION_RETRY_MILLISECONDS } from '../../durations.js'
import type { DiskCache } from '../cache/disk-cache.js'
import { unknownWorkflow } from '../workflow-errors.js'
import type { DeletionsRepository } from './deletions.repository.js'

export interface DeletionOptions {
  readonly repository: DeletionsRepository
  readonly cache: Pick<DiskCache, 'clear'>
  /** Resolves when the project folder of a workflow is completely removed. */
  readonly removeFolder: (workflowId: string) => Promise<void>
  /** Called when the results and files of a workflow are removed: the files that they used may be collected. */
  readonly onRemoved: () => void
  readonly log: FastifyBaseLogger
  /** Delay before a removal is retried after an error. */
  readonly retryMilliseconds?: number
}

/**
 * Deletes workflows: the mark makes a deletion durable; the removal of the data then takes place now, later, or in the next service. No
 * data of a deleted workflow remains permanently.
 */
export class WorkflowDeletions {
  /** Workflows that are being removed, with the end of each removal. */
  readonly #removing = new Map<string, Promise<void>>()
  readonly #retry = new Timer(() => this.resume())
  #closed = false

  constructor(private readonly options: DeletionOptions) {}

  /** @throws AppError WORKFLOW_NOT_FOUND */
  async mark(workflowId: string): Promise<void> {
    if (!(await this.options.repository.mark(workflowId))) throw unknownWorkflow()
  }

  /** Remove the data of a marked workflow. Data that cannot be removed now is removed later. */
  remove(workflowId: string): Promise<void> {
    const going = this.#removing.get(workflowId) ?? this.#tryToRemove(workflowId)
    this.#removing.set(workflowId, going)
    return going.finally(() => this.#removing.delete(workflowId))
  }

  /** Remove data of deleted workflows that an earlier service, or an error, left. */
  async resume(): Promise<void> {
    this.#retry.stop()
    try {
      for (const workflowId of await this.options.repository.marked())
        if (!this.#closed) await this.remove(workflowId)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** The next service continues. */
  async close(): Promise<void> {
    this.#closed = true
    this.#retry.stop()
    await Promise.all(this.#removing.values())
  }

  async #tryToRemove(workflowId: string): Promise<void> {
    const { repository, cache, removeFolder } = this.options
    try {
      await cache.clear({ workflow: workflowId })
      for await (const _ of repository.removeContents(workflowId)) if (this.#closed) return
      await removeFolder(workflowId)
      await repository.remove(workflowId)
      this.options.onRemoved()
    } catch (error) {
      this.#failed(error, workflowId)
    }
  }

  #failed(error: unknown, workflowId?: string): void {
    if (this.#closed) return
    this.options.log.warn(
      { err: error, workflow_id: workflowId },
      'a deleted workflow could not be removed completely; trying again',
    )
    if (!this.#retry.isRunning)
      this.#retry.start(this.options.retryMilliseconds ?? DELETION_RETRY_MILLISECONDS)
  }
}
