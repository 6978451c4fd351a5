import { MedloomError } from '@medloom/client'
import { sameWorkflow } from '@medloom/contracts/plain'
import { service } from '../../app/service'
import { EDITOR_RETRY_MILLISECONDS, SAVE_DRAFT_DEBOUNCE_MILLISECONDS } from '../../durations'
import { type Document, idsOf } from '../core/document'
import { type Edit, replaceDocument } from '../core/edits'
import { type History, historyOf, perform, redo, undo } from '../core/history'
import { documentOf, type StoredVersion } from './stored-version'

/**
 * saved: identical to the revision. changed: not stored yet. draft: stored, but not saved as a revision. stale: another version was stored
 * or saved elsewhere in the meantime. failed: the service refused the request or is unreachable.
 */
export type SaveState = 'saved' | 'changed' | 'draft' | 'stale' | 'failed'

export interface EditSessionState {
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
export class EditSession {
  #state: EditSessionState
  /** Document of the revision. */
  #saved: Document
  /** Document that the service has stored, as draft or revision; null: a different one. */
  #stored: Document | null
  /** Time at which the draft of the service was stored. */
  #draft: string | null
  /** Last step that the revision contains. */
  #savedStep: History['done'][number] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #busy: Promise<void> | null = null
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly workflowId: string,
    version: StoredVersion,
  ) {
    const base = historyOf(version.workflow)
    const history = version.draft ? perform(base, replaceDocument(base.document, documentOf(version))) : base
    this.#saved = version.workflow
    this.#stored = history.document
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

  readonly state = (): EditSessionState => this.#state
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get document(): Document {
    return this.#state.history.document
  }

  /** `merge`: consecutive edits of the same kind are undone together. */
  perform(edit: Edit, merge: string | null = null): void {
    this.#setHistory(perform(this.#state.history, edit, { merge, now: Date.now() }))
  }

  undo(): void {
    this.#setHistory(undo(this.#state.history))
  }

  redo(): void {
    this.#setHistory(redo(this.#state.history))
  }

  select(nodes: Iterable<string>, wires: Iterable<string> = []): void {
    this.#set({ nodes: new Set(nodes), wires: new Set(wires) })
  }

  /** Returns to the revision as an edit, which can be undone. */
  discard(): void {
    this.perform(replaceDocument(this.document, this.#saved))
  }

  /** Stores pending changes now. @throws error of the service, which the state contains as well */
  saveDraft(): Promise<void> {
    return this.#exclusively(() => this.#saveDraft())
  }

  /** Saves the current document as a revision. @throws error of the service, which the state contains as well */
  save(): Promise<void> {
    return this.#exclusively(async () => {
      // The draft is stored first, so that a conflict with another user is reported before anything is overwritten.
      await this.#saveDraft()
      if (this.#state.save === 'draft') await this.#save()
    })
  }

  /** Compares the version of the service with this one; the user decides about a different version. */
  compareWithStored({ revision, draft }: StoredVersion): void {
    if (this.#busy) return
    const newer = draft !== null && (this.#draft === null || draft.updated_at > this.#draft)
    if (revision > this.#state.revision || (revision === this.#state.revision && newer))
      this.#set({ save: 'stale' })
  }

  /** Replaces this version with the other one as an edit, which can be undone. */
  acceptStored(version: StoredVersion): void {
    const other = documentOf(version)
    const history = perform(this.#state.history, replaceDocument(this.document, other))
    this.#setHistory(history)
    this.#takeOver(version)
    this.#stored = history.document
    if (!version.draft) this.#savedStep = history.done.at(-1)
    this.#set({ save: version.draft ? 'draft' : 'saved' })
  }

  /** Replaces the other version with this one. */
  async overwriteStored(version: StoredVersion): Promise<void> {
    this.#takeOver(version)
    this.#stored = null
    this.#set({ save: 'changed' })
    await this.saveDraft()
  }

  #takeOver({ workflow, revision, draft }: StoredVersion): void {
    clearTimeout(this.#timer)
    this.#saved = workflow
    this.#savedStep = undefined
    this.#draft = draft?.updated_at ?? null
    this.#set({ revision, problem: null })
  }

  #setHistory(history: History): void {
    if (history === this.#state.history) return
    const { nodes, wires } = this.#state
    const { document } = history
    const [knownNodes, knownWires] = [idsOf(document.nodes), idsOf(document.connections)]
    const withoutRemoved = (ids: ReadonlySet<string>, known: ReadonlySet<string>) =>
      [...ids].every((id) => known.has(id)) ? ids : new Set([...ids].filter((id) => known.has(id)))
    const stale = this.#state.save === 'stale'
    this.#set({
      history,
      nodes: withoutRemoved(nodes, knownNodes),
      wires: withoutRemoved(wires, knownWires),
      save: stale ? 'stale' : 'changed',
    })
    if (!stale) this.#scheduleSave(SAVE_DRAFT_DEBOUNCE_MILLISECONDS)
  }

  #scheduleSave(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.saveDraft().catch(() => undefined), milliseconds)
  }

  /** Runs one request at a time. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
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

  async #saveDraft(): Promise<void> {
    const { document, workflowId: workflow_id } = this
    if (document === this.#stored) return
    const isSaved = this.#isSaved(document)
    if (!isSaved) {
      const { revision: base_revision } = this.#state
      const draft = { base_revision, workflow: document, replaces: this.#draft }
      this.#draft = (await service.saveDraft({ workflow_id, ...draft })).updated_at
    } else if (this.#draft !== null) {
      await service.deleteDraft({ workflow_id })
      this.#draft = null
    }
    this.#markStored(document, isSaved ? 'saved' : 'draft')
  }

  async #save(): Promise<void> {
    const { document, workflowId: workflow_id } = this
    const { revision, history } = this.#state
    const response = await service.updateWorkflow({ workflow_id, revision, ...document } as never)
    this.#saved = document
    this.#savedStep = history.done.at(-1)
    this.#draft = null
    this.#set({ revision: response.revision })
    this.#markStored(document, 'saved')
  }

  #markStored(document: Document, save: SaveState): void {
    this.#stored = document
    const changed = this.document !== document
    this.#set({ save: changed ? 'changed' : save, problem: null })
    if (changed) this.#scheduleSave(SAVE_DRAFT_DEBOUNCE_MILLISECONDS)
  }

  #fail(problem: Error): void {
    const stale = problem instanceof MedloomError && problem.code === 'REVISION_CONFLICT'
    this.#set({ save: stale ? 'stale' : 'failed', problem: stale ? null : problem })
    if (problem instanceof MedloomError && problem.isTransient) this.#scheduleSave(EDITOR_RETRY_MILLISECONDS)
  }

  /** The full comparison is needed only if the history allows equality. */
  #isSaved(document: Document): boolean {
    const keys = [...new Set([...Object.keys(document), ...Object.keys(this.#saved)])]
    if (keys.every((key) => document[key] === this.#saved[key])) return true
    return this.#state.history.done.at(-1) === this.#savedStep && sameWorkflow(document, this.#saved)
  }

  #set(change: Partial<EditSessionState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}
