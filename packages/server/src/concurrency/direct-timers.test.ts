import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const TIMER = /\bset(?:Timeout|Interval)\b|'(?:node:)?timers(?:\/promises)?'/

const root = join(import.meta.dirname, '..')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('concurrency/'),
)

it('only helpers of the folder concurrency use timers of the platform', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.filter((name) => TIMER.test(readFileSync(join(root, name), 'utf8')))).toEqual([])
})
