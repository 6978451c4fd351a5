/** Calls `work` until it succeeds once, and returns that result from then on. Concurrent callers share one call. */
export function memoizeSuccess<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}
