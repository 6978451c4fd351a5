/** Time source, passed in as a dependency. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back once after this delay; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}
