/** A standardized difference above this value is called large, as in the reports. */
const LARGE = 0.25

/**
 * Reports whether the distribution of an input differs from that of the training by more than chance. If there is no difference but unseen
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
