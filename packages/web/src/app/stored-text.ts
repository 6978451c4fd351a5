import { useSyncExternalStore } from 'react'

/** Text draft of the user. It survives navigation, a page reload and a lost service; without session storage it lasts as long as the tab. */
export function storedText(key: string) {
  const listeners = new Set<() => void>()
  let current = read(key)
  const set = (text: string) => {
    current = text
    try {
      sessionStorage.setItem(key, text)
    } catch {
      // Without storage, the text lasts as long as this tab.
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
