/** Long work that yields between its steps, so that its caller can do something else in between. */
export type CooperativeSteps<T> = Generator<void, T, void>

/** Asked between two steps: a promise to wait for, or undefined to go on at once. */
export type Pause = () => Promise<void> | undefined

export function runToCompletion<T>(work: CooperativeSteps<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Runs the work to its end, waiting between steps whenever `pause` asks for it. */
export async function runYielding<T>(work: CooperativeSteps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const waits = pause()
    if (waits) await waits
  }
}
