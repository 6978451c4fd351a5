export interface Waiting {
  /** Of a job, or of other work that needs an accelerator. */
  readonly id: string
  /** As training.device of a configuration. */
  readonly device: string
  /** As training.num_workers of a configuration. */
  readonly num_workers: number | null
  /** Whose job it is, for the quotas of users; null or absent: nobody's. */
  readonly owner?: string | null
}

export interface Admission extends Waiting {
  /** What it occupies: accelerators, the CPU, or amounts of a cluster. */
  readonly places: readonly string[]
}
