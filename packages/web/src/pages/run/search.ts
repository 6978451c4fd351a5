export const TABS = ['curves', 'log', 'events', 'checkpoints', 'configuration'] as const

/** What is looked at of a training, in the address. */
export interface RunSearch {
  readonly tab?: (typeof TABS)[number] | undefined
  /** The window of the curves, in steps. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly log?: true | undefined
  /** Weight of the smoothing; absent: none. */
  readonly smooth?: number | undefined
}

/** What an address says, as far as it makes sense; the rest is left out. */
export function runSearch(given: Record<string, unknown>): RunSearch {
  const [from, to] = [number(given.from), number(given.to)]
  const window = from !== undefined && to !== undefined && from < to
  const smooth = number(given.smooth)
  return {
    tab: TABS.find((known) => known === given.tab),
    from: window ? from : undefined,
    to: window ? to : undefined,
    log: given.log === true ? true : undefined,
    smooth: smooth !== undefined && smooth > 0 && smooth < 1 ? smooth : undefined,
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
