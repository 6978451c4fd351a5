import { MedloomError } from '@medloom/client'
import { sameWorkflow } from '@medloom/contracts/plain'
import { service } from '../../app/service'
import { type Document, idsOf } from '../core/document'
import { type Edit, replaceDocument } from '../core/edits'
import { type History, historyOf, perform, redo, undo } from '../core/history'
import { documentOf, type Version } from './version'

const KEEP_MILLISECONDS = 600
const RETRY_MILLISECONDS = 3_000

/**
 * saved: identical to the revision. changed: not stored yet. draft: stored, but not saved as a revision. stale: another version was stored
 * or saved elsewhere in the meantime. failed: the service refused the request or is unreachable.
 */
export type SaveState = 'saved' | 'changed' | 'draft' | 'stale' | 'failed'

export interface EditingState {
  readonly history: History
  readonly nodes: ReadonlySet<string>
  readonly wires: ReadonlySet<string>
  readonly save: SaveState
  readonly problem: Error | null
  readonly revision: number
}

const NONE: ReadonlySet<string> = new Set()

/**
 * An open workflow: the document with its history, and the selection. Every edit is stored as the draft of the workflow after a short
 * delay; saving or running creates a revision.
 */
export class Editing {
  #state: EditingState
  /** Document of the revision. */
  #saved: Document
  /** Document that the service has stored, as draft or revision; null: a different one. */
  #kept: Document | null
  /** Time at which the draft of the service was stored. */
  #draft: string | null
  /** Last step that the revision contains. */
  #savedStep: History['done'][number] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #busy: Promise<void> | null = null
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly workflowId: string,
    version: Version,
  ) {
    const base = historyOf(version.workflow)
    const history = version.draft ? perform(base, replaceDocument(base.document, documentOf(version))) : base
    this.#saved = version.workflow
    this.#kept = history.document
    this.#draft = version.draft?.updated_at ?? null
    this.#state = {
      history,
      nodes: NONE,
      wires: NONE,
      save: version.draft ? 'draft' : 'saved',
      problem: null,
      revision: version.revision,
    }
  }

  readonly state = (): EditingState => this.#state
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get document(): Document {
    return this.#state.history.document
  }

  /** `merge`: consecutive edits of the same kind are undone together. */
  perform(edit: Edit, merge: string | null = null): void {
    this.#become(perform(this.#state.history, edit, { merge, now: Date.now() }))
  }

  undo(): void {
    this.#become(undo(this.#state.history))
  }

  redo(): void {
    this.#become(redo(this.#state.history))
  }

  select(nodes: Iterable<string>, wires: Iterable<string> = []): void {
    this.#set({ nodes: new Set(nodes), wires: new Set(wires) })
  }

  /** Returns to the revision as an edit, which can be undone. */
  discard(): void {
    this.perform(replaceDocument(this.document, this.#saved))
  }

  /** Stores pending changes now. @throws error of the service, which the state contains as well */
  keep(): Promise<void> {
    return this.#alone(() => this.#keep())
  }

  /** Saves the current document as a revision. @throws error of the service, which the state contains as well */
  save(): Promise<void> {
    return this.#alone(async () => {
      // The draft is stored first, so that a conflict with another user is reported before anything is overwritten.
      await this.#keep()
      if (this.#state.save === 'draft') await this.#save()
    })
  }

  /** Compares the version of the service with this one; the user decides about a different version. */
  foreign({ revision, draft }: Version): void {
    if (this.#busy) return
    const newer = draft !== null && (this.#draft === null || draft.updated_at > this.#draft)
    if (revision > this.#state.revision || (revision === this.#state.revision && newer))
      this.#set({ save: 'stale' })
  }

  /** Replaces this version with the other one as an edit, which can be undone. */
  adopt(version: Version): void {
    const other = documentOf(version)
    const history = perform(this.#state.history, replaceDocument(this.document, other))
    this.#become(history)
    this.#accept(version)
    this.#kept = history.document
    if (!version.draft) this.#savedStep = history.done.at(-1)
    this.#set({ save: version.draft ? 'draft' : 'saved' })
  }

  /** Replaces the other version with this one. */
  async insist(version: Version): Promise<void> {
    this.#accept(version)
    this.#kept = null
    this.#set({ save: 'changed' })
    await this.keep()
  }

  #accept({ workflow, revision, draft }: Version): void {
    clearTimeout(this.#timer)
    this.#saved = workflow
    this.#savedStep = undefined
    this.#draft = draft?.updated_at ?? null
    this.#set({ revision, problem: null })
  }

  #become(history: History): void {
    if (history === this.#state.history) return
    const { nodes, wires } = this.#state
    const { document } = history
    const [knownNodes, knownWires] = [idsOf(document.nodes), idsOf(document.connections)]
    const kept = (ids: ReadonlySet<string>, known: ReadonlySet<string>) =>
      [...ids].every((id) => known.has(id)) ? ids : new Set([...ids].filter((id) => known.has(id)))
    const stale = this.#state.save === 'stale'
    this.#set({
      history,
      nodes: kept(nodes, knownNodes),
      wires: kept(wires, knownWires),
      save: stale ? 'stale' : 'changed',
    })
    if (!stale) this.#later(KEEP_MILLISECONDS)
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.keep().catch(() => undefined), milliseconds)
  }

  /** Runs one request at a time. */
  async #alone(work: () => Promise<void>): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#busy) await this.#busy
    if (this.#state.save === 'stale') throw new Error('another version was saved meanwhile')
    let problem: Error | null = null
    this.#busy = work()
      .catch((error: Error) => {
        problem = error
        this.#fail(error)
      })
      .finally(() => {
        this.#busy = null
      })
    await this.#busy
    if (problem) throw problem
  }

  async #keep(): Promise<void> {
    const { document, workflowId: workflow_id } = this
    if (document === this.#kept) return
    const isSaved = this.#isSaved(document)
    if (!isSaved) {
      const { revision: base_revision } = this.#state
      const draft = { base_revision, workflow: document, replaces: this.#draft }
      this.#draft = (await service.saveDraft({ workflow_id, ...draft })).updated_at
    } else if (this.#draft !== null) {
      await service.deleteDraft({ workflow_id })
      this.#draft = null
    }
    this.#done(document, isSaved ? 'saved' : 'draft')
  }

  async #save(): Promise<void> {
    const { document, workflowId: workflow_id } = this
    const { revision, history } = this.#state
    const answer = await service.updateWorkflow({ workflow_id, revision, ...document } as never)
    this.#saved = document
    this.#savedStep = history.done.at(-1)
    this.#draft = null
    this.#set({ revision: answer.revision })
    this.#done(document, 'saved')
  }

  #done(document: Document, save: SaveState): void {
    this.#kept = document
    const changed = this.document !== document
    this.#set({ save: changed ? 'changed' : save, problem: null })
    if (changed) this.#later(KEEP_MILLISECONDS)
  }

  #fail(problem: Error): void {
    const stale = problem instanceof MedloomError && problem.code === 'REVISION_CONFLICT'
    this.#set({ save: stale ? 'stale' : 'failed', problem: stale ? null : problem })
    if (problem instanceof MedloomError && problem.isTransient) this.#later(RETRY_MILLISECONDS)
  }

  /** The full comparison is needed only if the history allows equality. */
  #isSaved(document: Document): boolean {
    const keys = [...new Set([...Object.keys(document), ...Object.keys(this.#saved)])]
    if (keys.every((key) => document[key] === this.#saved[key])) return true
    return this.#state.history.done.at(-1) === this.#savedStep && sameWorkflow(document, this.#saved)
  }

  #set(change: Partial<EditingState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}
