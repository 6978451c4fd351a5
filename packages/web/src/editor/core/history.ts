import { MERGE_EDITS_MILLISECONDS } from '../../durations'
import type { Document } from './document'
import type { Edit } from './edits'
import { apply, invert } from './operations'

/** A document with its undo and redo steps. */
export interface History {
  readonly document: Document
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
}

interface Step {
  readonly forward: Edit
  readonly back: Edit
  /** Consecutive steps of the same kind are merged, such as typing into a field or moving a node with the arrow keys. */
  readonly merge: string | null
  /** Time of the step, in milliseconds. */
  readonly time: number
}

/** More steps than a user undoes; operations are small. */
const MAX_STEPS = 1_000

export const historyOf = (document: Document): History => ({ document, done: [], undone: [] })

export function perform(
  history: History,
  edit: Edit,
  { merge = null, now = 0 }: { readonly merge?: string | null; readonly now?: number } = {},
): History {
  if (edit.length === 0) return history
  const { document, done } = history
  const step: Step = { forward: edit, back: invert(document, edit), merge, time: now }
  const last = done.at(-1)
  const continued =
    last && merge !== null && last.merge === merge && now - last.time < MERGE_EDITS_MILLISECONDS
  const steps = continued
    ? [
        ...done.slice(0, -1),
        { ...step, forward: [...last.forward, ...edit], back: [...step.back, ...last.back] },
      ]
    : [...done, step]
  return { document: apply(document, edit), done: steps.slice(-MAX_STEPS), undone: [] }
}

export function undo({ document, done, undone }: History): History {
  const step = done.at(-1)
  if (!step) return { document, done, undone }
  return { document: apply(document, step.back), done: done.slice(0, -1), undone: [...undone, step] }
}

export function redo({ document, done, undone }: History): History {
  const step = undone.at(-1)
  if (!step) return { document, done, undone }
  const again = { ...step, merge: null }
  return { document: apply(document, step.forward), done: [...done, again], undone: undone.slice(0, -1) }
}
