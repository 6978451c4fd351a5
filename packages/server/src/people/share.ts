import { LIMITS } from '@medloom/contracts'

/** How many of `most` places one of several users may take who has no quota of their own. */
export function shareOf(most: number): number {
  return Math.max(1, Math.floor(most * LIMITS.user_share))
}
