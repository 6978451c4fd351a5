/** Long work that stops between its steps, so that whoever drives it may do something else meanwhile. */
export type Sliced<T> = Generator<void, T, void>

/** Asked between two steps; what it gives is waited for. */
export type Pause = () => Promise<void> | undefined

export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

export async function withPauses<T>(work: Sliced<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const waits = pause()
    if (waits) await waits
  }
}
