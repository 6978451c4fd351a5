import { expect, it } from 'vitest'
import { soakKill } from '../soak/kill.js'
import { shared } from '../testing/shared.js'

// Rounds of `npm run soak:kill`. A round throws at the first broken promise.

it('kill -9 of service and trainer: no event is lost or reported twice, and the loss is reported', async () => {
  const rounds = await soakKill({ rounds: 1, kill: 'both', dataset: shared.dataset })
  expect(rounds.map(({ victim }) => victim)).toEqual(['both'])
})

it('kill -9 of the service alone and of the trainer alone: no event is lost or reported twice', {
  tags: ['full'],
  timeout: 300_000,
}, async () => {
  const rounds = await soakKill({ rounds: 2, dataset: shared.dataset })
  expect(rounds.map(({ victim }) => victim)).toEqual(['service', 'trainer'])
})
