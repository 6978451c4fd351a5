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
let current = readStored()
// The preference was changed in another tab of this browser.
addEventListener('storage', async ({ key }) => {
  if (key !== KEY) return
  await loadTranslations(resolveLanguage(readStored()))
  apply(readStored())
})

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

/** A language change takes effect once its texts are loaded; until then the page does not change. */
export async function setPreferences(change: Partial<Preferences>): Promise<void> {
  await loadTranslations(resolveLanguage({ ...current, ...change }))
  const next = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // Without storage, the preference lasts until the page is closed.
  }
  apply(next)
}

function apply(next: Preferences): void {
  current = next
  applyTheme()
  for (const listener of listeners) listener()
}

/** Sets the theme on the root element, where the style sheet reads it; without one it follows the system. */
export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = current.theme
}

export function resolveLanguage({ language }: Preferences): Language {
  return language ?? languageOf(navigator.language)
}

/** Language that the page currently shows. */
export function currentLanguage(): Language {
  return resolveLanguage(current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function readStored(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<
      Record<keyof Preferences, unknown>
    >
    return {
      theme: THEMES.find((theme) => theme === stored.theme) ?? 'system',
      language: stored.language === 'en' || stored.language === 'zh' ? stored.language : null,
    }
  } catch {
    return { theme: 'system', language: null }
  }
}
