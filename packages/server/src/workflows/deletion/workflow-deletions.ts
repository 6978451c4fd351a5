import type { FastifyBaseLogger } from 'fastify'
import type { DiskCache } from '../cache/disk-cache.js'
import { unknownWorkflow } from '../workflow-errors.js'
import type { DeletionsRepository } from './deletions.repository.js'

export interface DeletionOptions {
  readonly repository: DeletionsRepository
  readonly cache: Pick<DiskCache, 'clear'>
  /** Resolves when the project folder of a workflow is gone for good. */
  readonly removeFolder: (workflowId: string) => Promise<void>
  /** Results and files of a workflow are gone: what they used may be collected. */
  readonly onRemoved: () => void
  readonly log: FastifyBaseLogger
  /** After an error the removal is tried again this often. */
  readonly retryMilliseconds?: number
}

const RETRY_MILLISECONDS = 60_000

/**
 * Deletes workflows: the mark makes a deletion durable, and from then on it is carried out, if not now then later or by the next service.
 * Nothing of a deleted workflow remains for good.
 */
export class WorkflowDeletions {
  /** Being removed, each with its end. */
  readonly #removing = new Map<string, Promise<void>>()
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(private readonly options: DeletionOptions) {}

  /** @throws AppError WORKFLOW_NOT_FOUND */
  async mark(workflowId: string): Promise<void> {
    if (!(await this.options.repository.mark(workflowId))) throw unknownWorkflow()
  }

  /** Remove what belongs to a marked workflow. What cannot be removed now is removed later. */
  remove(workflowId: string): Promise<void> {
    const going = this.#removing.get(workflowId) ?? this.#tryToRemove(workflowId)
    this.#removing.set(workflowId, going)
    return going.finally(() => this.#removing.delete(workflowId))
  }

  /** Remove what an earlier service, or an error, left of deleted workflows. */
  async resume(): Promise<void> {
    this.#retry = undefined
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
    clearTimeout(this.#retry)
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
      'not all of a deleted workflow could be removed; it is tried again',
    )
    const after = this.options.retryMilliseconds ?? RETRY_MILLISECONDS
    this.#retry ??= setTimeout(() => this.resume(), after).unref()
  }
}
