import { describe, expect, it } from 'vitest'
import { canFuzz, fuzz } from '../soak/fuzz.js'
import { shared } from '../testing/shared.js'

/** A short round of `npm run fuzz`. */
describe.skipIf(!canFuzz)(
  'requests made from openapi.json (needs "npm run fuzz" to have made its environment)',
  () => {
    it('right and wrong ones get the answers that it declares, and none a 500', async () => {
      const [round] = await fuzz({
        rounds: 1,
        examples: 2,
        phases: ['fuzzing'],
        minutes: 1.5,
        dataset: shared.dataset,
      })
      expect(round?.output).toContain('SUMMARY')
      expect([round?.failures, round?.errors], round?.output).toEqual([0, 0])
      expect(round?.requests).toBeGreaterThanOrEqual(40)
    })
  },
)
