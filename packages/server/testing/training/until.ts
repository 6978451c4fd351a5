import { eventually } from '../eventually.js'

/** Waits until `reached` returns true. @throws Error after the time limit for a state of another process */
export async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(reached, (value) => value, { every: 5 })
}
