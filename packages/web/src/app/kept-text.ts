import { useSyncExternalStore } from 'react'

/** A text that is being written. It outlives the page, a reload and a lost service; without a storage it lives as long as the tab. */
export function keptText(key: string) {
  const listeners = new Set<() => void>()
  let current = read(key)
  const set = (text: string) => {
    current = text
    try {
      sessionStorage.setItem(key, text)
    } catch {
      // It holds as long as this tab.
    }
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return { get: () => current, set, use: () => useSyncExternalStore(subscribe, () => current) }
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
