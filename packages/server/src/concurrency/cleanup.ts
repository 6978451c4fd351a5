export type Cleanup = ReturnType<typeof createCleanup>

/** Closes resources in the reverse order of their opening; a failure does not prevent the others from being closed. */
export function createCleanup() {
  const steps: (() => void | Promise<void>)[] = []
  return {
    add: (step: () => void | Promise<void>) => {
      steps.push(step)
    },
    async close() {
      const failures: unknown[] = []
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'the service did not close cleanly')
    },
  }
}
