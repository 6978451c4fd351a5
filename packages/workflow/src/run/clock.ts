/** Time, passed in. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Call back once after so many milliseconds; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}
