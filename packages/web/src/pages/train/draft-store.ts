import { useSyncExternalStore } from 'react'
import { type Draft, draftOf } from '../../forms/document'

/** Draft of a training. It survives navigation, a page reload and a lost service; without storage it lasts until the tab is closed. */
export interface Setup {
  readonly name: string
  readonly draft: Draft
}

const KEY = 'medloom.training'
export const EMPTY: Setup = { name: '', draft: draftOf('') }

const listeners = new Set<() => void>()
let current = kept()
let untouched = current.name === '' && current.draft.text === '' && !isKept()

export function useSetup(): Setup {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

/** For code outside of components. */
export function currentSetup(): Setup {
  return current
}

/** The user has neither written nor cleared anything yet. */
export function isUntouched(): boolean {
  return untouched
}

export function setSetup(changes: Partial<Setup>): void {
  untouched = false
  current = { ...current, ...changes }
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name: current.name, text: current.draft.text }))
  } catch {
    // Without storage, the draft lasts as long as this tab.
  }
  for (const listener of listeners) listener()
}

function kept(): Setup {
  try {
    const { name, text } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, unknown>
    return {
      name: typeof name === 'string' ? name : '',
      draft: draftOf(typeof text === 'string' ? text : ''),
    }
  } catch {
    return EMPTY
  }
}

function isKept(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
