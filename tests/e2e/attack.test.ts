import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROCESS_ATTACKS } from '../soak/attack/processes.js'
import { ATTACKS, attackAll } from '../soak/attack.js'
import { patient } from '../testing/deadline.js'
import { REPOSITORY } from '../testing/service.js'

it('the security guide lists each attack with its defense, in this order', () => {
  const guide = readFileSync(join(REPOSITORY, 'docs/guides/security.md'), 'utf8')
  const rows = ATTACKS.map(({ name, defense }) => `| ${name} | ${defense} |`)
  expect(guide).toContain(`|---|---|\n${rows.join('\n')}\n\n`)
})

it('each attack fails', { tags: ['full'], timeout: patient(300) }, async () => {
  const outcomes = await attackAll(ATTACKS.filter((attack) => !PROCESS_ATTACKS.includes(attack)))
  expect(outcomes.filter(({ status }) => status !== 'defended')).toEqual([])
})
