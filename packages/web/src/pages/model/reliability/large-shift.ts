/** Beyond this a standardized difference is called large, as in the reports. */
const LARGE = 0.25

/**
 * Whether an input is unlike that of the training, and more so than by chance. Without a size, but with unseen
 * categories, no case has a category of the training.
 */
export function differsClearly({
  smd,
  chance,
  unseen,
}: {
  readonly smd: number | null
  readonly chance: number | null
  readonly unseen: number | null
}): boolean {
  return smd === null ? (unseen ?? 0) > 0 : smd > Math.max(LARGE, chance ?? 0)
}
