export interface Waiting {
  /** Id of a job, or of other work that needs an accelerator. */
  readonly id: string
  /** Like training.device of a configuration. */
  readonly device: string
  /** Like training.num_workers of a configuration. */
  readonly num_workers: number | null
  /** Owner of the job, for the quotas of users; null or absent: no owner. */
  readonly owner?: string | null
}

export interface Admission extends Waiting {
  /** The slots that it occupies: accelerators, the CPU, or amounts of a cluster. */
  readonly places: readonly string[]
}
