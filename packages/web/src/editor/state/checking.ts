import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import { service } from '../../app/service'
import type { Document } from '../core/document'
import type { Editing } from './editing'

export type Check = RouteResponse<'checkWorkflow'>

const PAUSE_MILLISECONDS = 150
const RETRY_MILLISECONDS = 3_000

/** What the service says of the document as it stands, saved or not: asked whenever it changes, one question at a time. */
export class Checking {
  #answer: Check | null = null
  #checked: Document | null = null
  #asking = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(readonly editing: Editing) {}

  readonly answer = (): Check | null => this.#answer
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks while somebody looks; returns how to end that. */
  readonly begin = (): (() => void) => {
    this.#later(0)
    const leave = this.editing.subscribe(() => {
      if (this.editing.document !== this.#checked) this.#later(PAUSE_MILLISECONDS)
    })
    return () => {
      leave()
      clearTimeout(this.#timer)
    }
  }

  /** A run has changed what the next one would do. */
  readonly again = (): void => this.#later(0)

  #later(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), milliseconds)
  }

  async #ask(): Promise<void> {
    if (this.#asking) {
      this.#later(PAUSE_MILLISECONDS)
      return
    }
    const { document, workflowId } = this.editing
    this.#asking = true
    this.#checked = document
    try {
      this.#answer = await service.checkWorkflow({ workflow_id: workflowId, workflow: document })
    } catch (error) {
      if (error instanceof MedloomError && error.isTransient) this.#later(RETRY_MILLISECONDS)
    } finally {
      this.#asking = false
      for (const listener of this.#listeners) listener()
    }
  }
}
