import type { Promises } from '../promises.js'

/** Input of one round of a fault. */
export interface DiskRound {
  /** Empty folder of this round only. */
  readonly folder: string
  /** The synthetic dataset, and its root. */
  readonly dataset: string
  readonly root: string
  readonly random: () => number
  readonly promises: Promises
}
