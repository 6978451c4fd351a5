import { useSyncExternalStore } from 'react'
import { usePreferences } from '../app/preferences'

/** A canvas knows no style sheet: the colours of the theme are asked from an element that has them. "--ink" → "rgb(29, 35, 38)". */
export function resolveColours(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element)
  return (name) => {
    element.style.color = `var(${name})`
    const { color } = style
    element.style.color = ''
    return color
  }
}

const dark = () => matchMedia('(prefers-color-scheme: dark)')

/** Which colours hold now: another value whenever they change. */
export function useColourScheme(): string {
  const { theme } = usePreferences()
  const system = useSyncExternalStore(
    (changed) => {
      const query = dark()
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => dark().matches,
  )
  return theme === 'system' && system ? 'dark' : theme
}
