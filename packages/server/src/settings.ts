/** Settings of the service, complete. `medloom serve` reads them from flags and the environment (api.md section 8). */
export interface Settings {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Absolute. Database, runs, caches and logs. */
  readonly dataDir: string
  /** Absolute, real paths. Folders that requests may name; relative paths in requests start at the first. */
  readonly roots: readonly string[]
  /** Absolute file that holds the token; required when host is not a loopback address. */
  readonly tokenFile: string | null
  /** Interpreter that has the trainer. */
  readonly python: string
  /** Training jobs at a time; null: one per accelerator, one on a CPU. */
  readonly maxJobs: number | null
  /** Seconds that a stopped job gets to save its checkpoint before its process group is killed. */
  readonly stopGraceSeconds: number
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}
