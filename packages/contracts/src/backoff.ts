/** Pause before repetition number `attempt`, counted from 0: `first` milliseconds, then twice as long each time, up to `longest`. */
export function backoff(first: number, longest: number): (attempt: number) => number {
  return (attempt) => Math.min(first * 2 ** attempt, longest)
}
