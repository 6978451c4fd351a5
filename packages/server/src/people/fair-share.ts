import { LIMITS } from '@medloom/contracts'

/** Share of `most` slots for a user without a quota, if there are several users. */
export function fairShare(most: number): number {
  return Math.max(1, Math.floor(most * LIMITS.user_share))
}
