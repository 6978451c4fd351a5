/** Concurrent callers share one call of `work`. A call after its end starts the next one. */
export function shareInFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | undefined
  return () => {
    inFlight ??= work().finally(() => {
      inFlight = undefined
    })
    return inFlight
  }
}
