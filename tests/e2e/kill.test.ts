import { expect, it } from 'vitest'
import { soakKill } from '../soak/kill.js'
import { shared } from '../testing/shared.js'

/** A round each of what `npm run soak:kill` does for as long as it is asked to. It throws at the first broken promise. */
it('kill -9 of service, trainer and both: no event is lost or told twice, nothing is pretended', async () => {
  const rounds = await soakKill({ rounds: 3, dataset: shared.dataset })
  expect(rounds.map(({ victim }) => victim)).toEqual(['service', 'trainer', 'both'])
}, 300_000)
