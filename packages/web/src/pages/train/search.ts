export interface TrainSearch {
  /** Training whose configuration is the initial draft. */
  readonly from?: string
  /** Registered dataset of the initial draft. */
  readonly dataset?: string
}

export function trainSearch({ from, dataset }: Record<string, unknown>): TrainSearch {
  return {
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof dataset === 'string' ? { dataset } : {}),
  }
}
