import { type CurveLook, curveLook } from '../../charts/curve-look'

export const TABS = ['curves', 'log', 'events', 'checkpoints', 'configuration'] as const

/** What is looked at of a training, in the address. */
export interface RunSearch extends CurveLook {
  readonly tab?: (typeof TABS)[number] | undefined
}

/** What an address says, as far as it makes sense; the rest is left out. */
export function runSearch(given: Record<string, unknown>): RunSearch {
  return { tab: TABS.find((known) => known === given.tab), ...curveLook(given) }
}
