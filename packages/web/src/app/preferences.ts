import { useSyncExternalStore } from 'react'
import type { Language } from '../text/define'
import { loadTranslations } from '../text/translations'
import { languageOf } from '../text/use-text'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** What a person chose for this browser. Nothing secret, and nothing that a lost storage would harm. */
export interface Preferences {
  readonly theme: Theme
  /** null: as the browser asks for. */
  readonly language: Language | null
}

const KEY = 'medloom.preferences'
const listeners = new Set<() => void>()
let current = read()
// Chosen in another tab of this browser.
addEventListener('storage', async ({ key }) => {
  if (key !== KEY) return
  await loadTranslations(chosenLanguage(read()))
  set(read())
})

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

/** Another language is taken once its words are there: until then the page stays as it is. */
export async function setPreferences(change: Partial<Preferences>): Promise<void> {
  await loadTranslations(chosenLanguage({ ...current, ...change }))
  const chosen = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen))
  } catch {
    // Without storage the choice holds until the page is left.
  }
  set(chosen)
}

function set(chosen: Preferences): void {
  current = chosen
  applyTheme()
  for (const listener of listeners) listener()
}

/** The theme stands on the root element, where the style sheet reads it; without one it follows the system. */
export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = current.theme
}

export function chosenLanguage({ language }: Preferences): Language {
  return language ?? languageOf(navigator.language)
}

/** The language that the page is in now. */
export function currentLanguage(): Language {
  return chosenLanguage(current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<keyof Preferences, unknown>>
    return {
      theme: THEMES.find((theme) => theme === kept.theme) ?? 'system',
      language: kept.language === 'en' || kept.language === 'zh' ? kept.language : null,
    }
  } catch {
    return { theme: 'system', language: null }
  }
}
