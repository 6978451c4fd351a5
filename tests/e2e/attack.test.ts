import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ATTACKS, attackAll, isPossible } from '../soak/attack.js'
import { patient } from '../testing/deadline.js'
import { REPOSITORY } from '../testing/service.js'

it('the security guide lists each attack with its defense, in this order', () => {
  const guide = readFileSync(join(REPOSITORY, 'docs/guides/security.md'), 'utf8')
  const rows = ATTACKS.map(({ name, defense }) => `| ${name} | ${defense} |`)
  expect(guide).toContain(`|---|---|\n${rows.join('\n')}\n\n`)
})

const failed = async (attacks: typeof ATTACKS) =>
  (await attackAll(attacks)).filter(({ status }) => status !== 'defended')

it('attacks of seconds fail', { timeout: patient(120) }, async () => {
  const short = ATTACKS.filter(({ isShort }) => isShort)
  expect(short.length).toBeGreaterThan(5)
  expect(await failed(short)).toEqual([])
})

it('each attack fails', { tags: ['full'], timeout: patient(900) }, async () => {
  expect(await failed(ATTACKS.filter(isPossible))).toEqual([])
})
