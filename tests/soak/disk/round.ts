import type { Promises } from '../promises.js'

/** What one round of a fault is given. */
export interface DiskRound {
  /** Empty, of this round alone. */
  readonly folder: string
  /** The synthetic data set, and the root that it lies in. */
  readonly dataset: string
  readonly root: string
  readonly random: () => number
  readonly promises: Promises
}
