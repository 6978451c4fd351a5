/** Reference to a value of a run. */
export interface PortValueRef {
  readonly workflowId: string
  readonly node: string
  readonly port: string
  /** Absent: the latest result. */
  readonly runId?: string | undefined
  /** A different digest causes the value to be read again. */
  readonly digest: string
}
