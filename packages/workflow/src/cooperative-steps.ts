/** Long work that yields between its steps, so that its caller can do other work in between. */
export type CooperativeSteps<T> = Generator<void, T, void>

/** Called between two steps: returns a promise to wait for, or undefined to continue immediately. */
export type Pause = () => Promise<void> | undefined

export function runToCompletion<T>(work: CooperativeSteps<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Runs the work to its end, waiting between steps whenever `pause` requests it. */
export async function runYielding<T>(work: CooperativeSteps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const waits = pause()
    if (waits) await waits
  }
}
