import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { service } from '../../app/service'
import type { Document } from '../core/document'
import { outdatedNodes } from '../core/outdated'
import type { Editing } from './editing'
import type { RunStates } from './run-states'

export type Check = RouteResponse<'checkWorkflow'>

const PAUSE_MILLISECONDS = 150
const RETRY_MILLISECONDS = 3_000
const NONE: ReadonlySet<string> = new Set()

/** What the service says of the document as it stands, saved or not: asked whenever it changes, one question at a time. */
export class Checking {
  #answer: Check | null = null
  #checked: Document | null = null
  #outdated = NONE
  /** How the latest run was when the service was asked. */
  #run = ''
  #asking = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly editing: Editing,
    readonly runs: Pick<RunStates, 'summary'>,
  ) {}

  readonly answer = (): Check | null => this.#answer
  /** Whether the latest result of a node was made from something that has changed since. Not known while a run is active. */
  readonly isOutdated = (node: string): boolean => {
    const { status } = this.runs.summary()
    return isTerminal(status) && this.#run === this.#latestRun() && this.#outdated.has(node)
  }
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

  #latestRun(): string {
    const { run_id, status } = this.runs.summary()
    return `${run_id} ${status}`
  }

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
    const run = this.#latestRun()
    try {
      this.#answer = await service.checkWorkflow({ workflow_id: workflowId, workflow: document })
      this.#run = run
      // A document with errors has no plan: what was outdated before still is.
      if (this.#answer.plan) this.#outdated = outdatedNodes(document, this.#answer.plan.steps)
    } catch (error) {
      if (error instanceof MedloomError && error.isTransient) this.#later(RETRY_MILLISECONDS)
    } finally {
      this.#asking = false
      for (const listener of this.#listeners) listener()
    }
  }
}
