import { type CurveSettings, parseCurveSettings } from '../../charts/curve-settings'

export const TABS = ['curves', 'log', 'events', 'checkpoints', 'configuration'] as const

/** State of a training's page in the address. */
export interface RunSearch extends CurveSettings {
  readonly tab?: (typeof TABS)[number] | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function runSearch(params: Record<string, unknown>): RunSearch {
  return { tab: TABS.find((known) => known === params.tab), ...parseCurveSettings(params) }
}
