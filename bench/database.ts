import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, measure } from './database/measure.js'
import { inThread, ownThread } from './database/subjects.js'

/**
 * What the thread of the database costs and what it gives: commits, rows, small selects, and how long the event loop stands still under
 * a heavy load of writes, beside the same database in the thread that answers requests. The figures of the two are taken in turns. A
 * limit that is missed ends with 1.
 *
 *     npm run bench:database -- [--seconds 3] [--rounds 3] [--folder /on/the/disk/to/measure]
 */
const LIMITS: readonly { what: string; held(own: Figures, other: Figures): boolean }[] = [
  {
    what: 'durable commits/s at least 0.5 × in thread',
    held: (own, other) => own.commitsPerSecond >= 0.5 * other.commitsPerSecond,
  },
  {
    what: 'rows/s at least 0.5 × in thread',
    held: (own, other) => own.rowsPerSecond >= 0.5 * other.rowsPerSecond,
  },
  {
    what: 'a small select under 5 ms (median)',
    held: (own) => own.selectMedian < 5,
  },
  { what: 'no stall longer than in thread', held: (own, other) => own.stallMax <= other.stallMax },
]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string', default: tmpdir() },
  },
})
const taken: Record<string, Figures[]> = {}
for (let round = 0; round < Number(values.rounds); round++)
  for (const open of [inThread, ownThread]) {
    const folder = mkdtempSync(join(resolve(values.folder), 'medloom-bench-'))
    const subject = await open(join(folder, 'medloom.db'))
    const figures = await measure(subject, Number(values.seconds))
    await subject.close()
    rmSync(folder, { recursive: true, force: true })
    taken[subject.name] = [...(taken[subject.name] ?? []), figures]
  }

const [own, other] = [medians(taken['own thread'] ?? []), medians(taken['in thread'] ?? [])]
console.log(
  `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; medians of ${values.rounds} rounds`,
)
console.log(`${''.padEnd(26)}${'in thread'.padStart(14)}${'own thread'.padStart(14)}`)
for (const name of Object.keys(own) as (keyof Figures)[])
  console.log(name.padEnd(26) + shown(other[name]).padStart(14) + shown(own[name]).padStart(14))
const missed = LIMITS.filter(({ held }) => !held(own, other))
for (const { what } of LIMITS)
  console.log(`${missed.some((limit) => limit.what === what) ? 'MISSED' : 'held  '} ${what}`)
process.exit(missed.length > 0 ? 1 : 0)

function medians(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Figures)[]
  const median = (name: keyof Figures) =>
    rounds.map((figures) => figures[name]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN
  return Object.fromEntries(names.map((name) => [name, median(name)])) as unknown as Figures
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(3)
}
