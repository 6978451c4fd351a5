/** Calls `work` at this interval without keeping the process alive. Calls never overlap. @returns a function that ends it */
export function repeatEvery(milliseconds: number, work: () => void | Promise<void>): () => void {
  let isWorking = false
  const call = async () => {
    if (isWorking) return
    isWorking = true
    try {
      await work()
    } finally {
      isWorking = false
    }
  }
  const timer = setInterval(() => void call(), milliseconds).unref()
  return () => clearInterval(timer)
}
