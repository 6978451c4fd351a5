export interface TrainSearch {
  /** The training whose configuration it begins with. */
  readonly from?: string
  /** The registered data set that it begins with. */
  readonly dataset?: string
}

export function trainSearch({ from, dataset }: Record<string, unknown>): TrainSearch {
  return {
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof dataset === 'string' ? { dataset } : {}),
  }
}
