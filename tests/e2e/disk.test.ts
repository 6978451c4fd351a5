import { describe, expect, it } from 'vitest'
import { FAULTS, soakDisk, whyNot } from '../soak/disk.js'
import { Promises } from '../soak/promises.js'
import { shared } from '../testing/shared.js'

/** One round of `npm run soak:disk`. A round throws at the first broken promise. */
describe('a disk that fails', () => {
  for (const fault of FAULTS)
    it.skipIf(whyNot[fault] !== null)(
      `${fault}: nothing acknowledged is lost, nothing is pretended`,
      { timeout: 600_000, tags: fault === 'full' ? [] : ['full'] },
      async () => {
        const promises = new Promises()
        await soakDisk({ rounds: 1, fault, dataset: shared.dataset, promises })
        expect(promises.kept(`rounds of ${fault}`)).toBe(1)
        expect(promises.broken).toBe(0)
      },
    )
})
