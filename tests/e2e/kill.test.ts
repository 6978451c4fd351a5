import { expect, it } from 'vitest'
import { soakKill } from '../soak/kill.js'
import { shared } from '../testing/shared.js'

/** A few rounds of what `npm run soak:kill` does for as long as it is asked to. It throws at the first broken promise. */
it.each(['service', 'trainer', 'both'] as const)(
  'kill -9 of %s: no event is lost or told twice, nothing is pretended',
  async (kill) => {
    const rounds = await soakKill({ rounds: 1, kill, dataset: shared.dataset })
    expect(rounds).toHaveLength(1)
  },
)
