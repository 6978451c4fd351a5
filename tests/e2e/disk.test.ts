import { describe, expect, it } from 'vitest'
import { FAULTS, soakDisk, whyNot } from '../soak/disk.js'
import { Promises } from '../soak/promises.js'
import { shared } from '../testing/shared.js'

/** A round of what `npm run soak:disk` does for as long as it is asked to. It throws at the first broken promise. */
describe('a disk that fails', () => {
  for (const fault of FAULTS)
    it.skipIf(whyNot[fault] !== null)(
      `${fault}: nothing acknowledged is lost, nothing is pretended`,
      async () => {
        const promises = new Promises()
        await soakDisk({ rounds: 1, fault, dataset: shared.dataset, promises })
        expect(promises.kept(`rounds of ${fault}`)).toBe(1)
        expect(promises.broken).toBe(0)
      },
      600_000,
    )
})
