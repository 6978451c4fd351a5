import { useSyncExternalStore } from 'react'
import type { Language } from '../text/define'
import { loadTranslations } from '../text/translations'
import { languageOf } from '../text/use-text'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** Preferences stored in this browser. They contain no secrets, and losing them does no harm. */
export interface Preferences {
  readonly theme: Theme
  /** null: use the language of the browser. */
  readonly language: Language | null
}

const KEY = 'medloom.preferences'
const listeners = new Set<() => void>()
let current = read()
// The preference was changed in another tab of this browser.
addEventListener('storage', async ({ key }) => {
  if (key !== KEY) return
  await loadTranslations(chosenLanguage(read()))
  set(read())
})

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

/** A language change takes effect once its texts are loaded; until then the page does not change. */
export async function setPreferences(change: Partial<Preferences>): Promise<void> {
  await loadTranslations(chosenLanguage({ ...current, ...change }))
  const chosen = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen))
  } catch {
    // Without storage, the preference lasts until the page is closed.
  }
  set(chosen)
}

function set(chosen: Preferences): void {
  current = chosen
  applyTheme()
  for (const listener of listeners) listener()
}

/** Sets the theme on the root element, where the style sheet reads it; without one it follows the system. */
export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = current.theme
}

export function chosenLanguage({ language }: Preferences): Language {
  return language ?? languageOf(navigator.language)
}

/** Language that the page currently shows. */
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
