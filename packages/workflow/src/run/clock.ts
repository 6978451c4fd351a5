/** Time, passed in. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Call back once after so many milliseconds; the returned function calls it off. */
  after(milliseconds: number, callback: () => void): () => void
}
