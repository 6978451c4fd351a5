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

/** Check of the current document by the service, saved or not. It runs after every change, one request at a time. */
export class Checking {
  #answer: Check | null = null
  #checked: Document | null = null
  #outdated = NONE
  /** The latest run at the time of the request. */
  #run = ''
  #asking = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly editing: Editing,
    readonly runs: Pick<RunStates, 'summary'>,
  ) {}

  readonly answer = (): Check | null => this.#answer
  /** Reports whether the latest result of a node is outdated by later changes. Unknown while a run is active. */
  readonly isOutdated = (node: string): boolean => {
    const { status } = this.runs.summary()
    return isTerminal(status) && this.#run === this.#latestRun() && this.#outdated.has(node)
  }
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts the checks while a user views the document; returns a function that stops them. */
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

  /** Checks again after a run, which changes the plan of the next one. */
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
      // A document with errors has no plan: the previously outdated nodes stay outdated.
      if (this.#answer.plan) this.#outdated = outdatedNodes(document, this.#answer.plan.steps)
    } catch (error) {
      if (error instanceof MedloomError && error.isTransient) this.#later(RETRY_MILLISECONDS)
    } finally {
      this.#asking = false
      for (const listener of this.#listeners) listener()
    }
  }
}
