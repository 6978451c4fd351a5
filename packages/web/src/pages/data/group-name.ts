import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import type { GROUPINGS } from './search'

/** Name of a class or split, or the description of a missing one. */
export function useGroupName(by: (typeof GROUPINGS)[number]): (name: string | null) => string {
  const t = useText(text)
  const none = { class: 'classes.none', split: 'split.none', none: 'distribution.by.none' } as const
  return (name) => name ?? t(none[by])
}
