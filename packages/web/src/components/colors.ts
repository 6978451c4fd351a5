import { useSyncExternalStore } from 'react'
import { usePreferences } from '../app/preferences'

/** A canvas cannot use style sheets: colors of the theme are resolved from an element. "--ink" → "rgb(29, 35, 38)". */
export function resolveColors(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element)
  return (name) => {
    element.style.color = `var(${name})`
    const { color } = style
    element.style.color = ''
    return color
  }
}

const dark = () => matchMedia('(prefers-color-scheme: dark)')

/** Identifies the current color scheme; the value changes whenever the colors change. */
export function useColorScheme(): string {
  const { theme } = usePreferences()
  const system = useSyncExternalStore(
    (onChange) => {
      const query = dark()
      query.addEventListener('change', onChange)
      return () => query.removeEventListener('change', onChange)
    },
    () => dark().matches,
  )
  return theme === 'system' && system ? 'dark' : theme
}
