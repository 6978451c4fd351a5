/** Beyond this a standardized difference is called large, as in the reports. */
const LARGE = 0.25

/** Whether an input is unlike that of the training, and more so than by chance. */
export function differsClearly({
  smd,
  chance,
}: {
  readonly smd: number | null
  readonly chance: number | null
}): boolean {
  return smd !== null && smd > Math.max(LARGE, chance ?? 0)
}
