import { expect, it } from 'vitest'
import { parseLoadArguments } from './arguments.mjs'
import { findStress, pressureArguments } from './pressure.mjs'
import { placeOf } from './zones.mjs'

it('passes on every argument but the number of rounds', () => {
  expect(parseLoadArguments(['--rounds', '3', '--part', 'page'])).toEqual({
    rounds: 3,
    testArguments: ['--part', 'page'],
  })
  expect(parseLoadArguments(['tests/page'])).toEqual({ rounds: 1, testArguments: ['tests/page'] })
  expect(parseLoadArguments(['--rounds']).problem).toContain('--rounds')
})

it('occupies every core, one disk writer and a quarter of the free memory', () => {
  const command = pressureArguments({ cores: 4, freeBytes: 8_000, folder: '/scratch' }).join(' ')
  expect(command).toContain('--cpu 4')
  expect(command).toContain('--vm-bytes 2000')
  expect(command).toContain('--hdd 1 --hdd-bytes 268435456')
  expect(command).toContain('--temp-path /scratch')
})

it('each round has another time zone; a locale only if the system has it', () => {
  const zones = [0, 1, 2, 3].map((round) => placeOf(round, []).TZ)
  expect(new Set(zones).size).toBe(3)
  expect(zones[3]).toBe(zones[0])
  expect(placeOf(0, ['C', 'de_DE.utf8'])).toEqual({ TZ: 'Pacific/Kiritimati', LC_ALL: 'de_DE.UTF-8' })
  expect(placeOf(0, ['C'])).toEqual({ TZ: 'Pacific/Kiritimati' })
})

it('does not find stress-ng where it is not', () => {
  expect(findStress('')).toBeUndefined()
})
