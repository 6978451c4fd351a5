import type { RouteName } from '@medloom/contracts'
import { changed } from './service'

/** So many changes arrive in a moment that reading after each would end no reading. */
const GATHER_MILLISECONDS = 300

let waiting: ReturnType<typeof setTimeout> | undefined
const stale = new Set<RouteName>()

/** As `changed`, once for all that is told within a moment. */
export function changedSoon(...names: readonly RouteName[]): void {
  for (const name of names) stale.add(name)
  if (waiting !== undefined) return
  waiting = setTimeout(() => {
    waiting = undefined
    const all = [...stale]
    stale.clear()
    void changed(...all)
  }, GATHER_MILLISECONDS)
}
