import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { service } from '../../app/service'
import { DOCUMENT_CHECK_DEBOUNCE_MILLISECONDS, EDITOR_RETRY_MILLISECONDS } from '../../durations'
import type { Document } from '../core/document'
import { outdatedNodes } from '../core/outdated'
import type { EditSession } from './edit-session'
import type { RunStates } from './run-states'

export type Check = RouteResponse<'checkWorkflow'>

const NONE: ReadonlySet<string> = new Set()

/** Check of the current document by the service, saved or not. It runs after every change, one request at a time. */
export class DocumentChecker {
  #result: Check | null = null
  #checked: Document | null = null
  #outdated = NONE
  /** The latest run at the time of the request. */
  #run = ''
  #isRequesting = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly session: EditSession,
    readonly runs: Pick<RunStates, 'summary'>,
  ) {}

  readonly result = (): Check | null => this.#result
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
  readonly start = (): (() => void) => {
    this.#schedule(0)
    const unsubscribe = this.session.subscribe(() => {
      if (this.session.document !== this.#checked) this.#schedule(DOCUMENT_CHECK_DEBOUNCE_MILLISECONDS)
    })
    return () => {
      unsubscribe()
      clearTimeout(this.#timer)
    }
  }

  /** Checks again after a run, which changes the plan of the next one. */
  readonly recheck = (): void => this.#schedule(0)

  #latestRun(): string {
    const { run_id, status } = this.runs.summary()
    return `${run_id} ${status}`
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#request(), milliseconds)
  }

  async #request(): Promise<void> {
    if (this.#isRequesting) {
      this.#schedule(DOCUMENT_CHECK_DEBOUNCE_MILLISECONDS)
      return
    }
    const { document, workflowId } = this.session
    this.#isRequesting = true
    this.#checked = document
    const run = this.#latestRun()
    try {
      this.#result = await service.checkWorkflow({ workflow_id: workflowId, workflow: document })
      this.#run = run
      // A document with errors has no plan: the previously outdated nodes stay outdated.
      if (this.#result.plan) this.#outdated = outdatedNodes(document, this.#result.plan.steps)
    } catch (error) {
      if (error instanceof MedloomError && error.isTransient) this.#schedule(EDITOR_RETRY_MILLISECONDS)
    } finally {
      this.#isRequesting = false
      for (const listener of this.#listeners) listener()
    }
  }
}
