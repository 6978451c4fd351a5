/** A value of a run: where it is kept, and which one it is. */
export interface PortPlace {
  readonly workflowId: string
  readonly node: string
  readonly port: string
  /** Absent: the latest result. */
  readonly runId?: string | undefined
  /** Another value is read anew. */
  readonly digest: string
}
