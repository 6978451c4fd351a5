import { type CurveLook, curveLook } from '../../charts/curve-look'

export const TABS = ['curves', 'log', 'events', 'checkpoints', 'configuration'] as const

/** State of a training's page in the address. */
export interface RunSearch extends CurveLook {
  readonly tab?: (typeof TABS)[number] | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function runSearch(given: Record<string, unknown>): RunSearch {
  return { tab: TABS.find((known) => known === given.tab), ...curveLook(given) }
}
