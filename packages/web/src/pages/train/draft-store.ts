import { useSyncExternalStore } from 'react'
import { type Draft, parseDraft } from '../../forms/draft'

/** Draft of a training. It survives navigation, a page reload and a lost service; without storage it lasts until the tab is closed. */
export interface TrainingDraft {
  readonly name: string
  readonly draft: Draft
}

const KEY = 'medloom.training'
export const EMPTY_DRAFT: TrainingDraft = { name: '', draft: parseDraft('') }

const listeners = new Set<() => void>()
let current = readStored()
let untouched = current.name === '' && current.draft.text === '' && !isStored()

export function useTrainingDraft(): TrainingDraft {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

/** For code outside of components. */
export function currentTrainingDraft(): TrainingDraft {
  return current
}

/** The user has neither written nor cleared anything yet. */
export function isUntouched(): boolean {
  return untouched
}

export function setTrainingDraft(changes: Partial<TrainingDraft>): void {
  untouched = false
  current = { ...current, ...changes }
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name: current.name, text: current.draft.text }))
  } catch {
    // Without storage, the draft lasts as long as this tab.
  }
  for (const listener of listeners) listener()
}

function readStored(): TrainingDraft {
  try {
    const { name, text } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, unknown>
    return {
      name: typeof name === 'string' ? name : '',
      draft: parseDraft(typeof text === 'string' ? text : ''),
    }
  } catch {
    return EMPTY_DRAFT
  }
}

function isStored(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
