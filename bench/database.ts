import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, measure } from './database/measure.js'
import { inThread, onServer, ownThread } from './database/subjects.js'

/**
 * Cost and benefit of the database thread: commits, rows, small selects, and the delay of the event loop under a heavy load of writes,
 * compared with the same database in the thread that answers requests. The two are measured in turns. A missed limit exits with 1.
 *
 * With the address of a PostgreSQL database, the same is measured there, in turns with the others, and reported next to them.
 *
 *     npm run bench:database -- [--seconds 3] [--rounds 3] [--folder /on/the/disk/to/measure] [--database-url postgres://…]
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
    'database-url': { type: 'string' },
  },
})
const url = values['database-url']
const taken: Record<string, Figures[]> = {}
const keep = (name: string, figures: Figures) => {
  taken[name] = [...(taken[name] ?? []), figures]
}
for (let round = 0; round < Number(values.rounds); round++) {
  for (const open of [inThread, ownThread]) {
    const folder = mkdtempSync(join(resolve(values.folder), 'medloom-bench-'))
    const subject = await open(join(folder, 'medloom.db'))
    const figures = await measure(subject, Number(values.seconds))
    await subject.close()
    rmSync(folder, { recursive: true, force: true })
    keep(subject.name, figures)
  }
  if (url === undefined) continue
  const subject = await onServer(url)
  keep(subject.name, await measure(subject, Number(values.seconds)))
  await subject.close()
}

const [own, other] = [medians(taken['own thread'] ?? []), medians(taken['in thread'] ?? [])]
console.log(
  `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; medians of ${values.rounds} rounds`,
)
const server = taken.PostgreSQL && medians(taken.PostgreSQL)
const headings = ['in thread', 'own thread', ...(server ? ['PostgreSQL', '× own thread'] : [])]
console.log(''.padEnd(26) + headings.map((heading) => heading.padStart(14)).join(''))
for (const name of Object.keys(own) as (keyof Figures)[]) {
  const figures = [other[name], own[name], ...(server ? [server[name], server[name] / own[name]] : [])]
  console.log(name.padEnd(26) + figures.map((figure) => shown(figure).padStart(14)).join(''))
}
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
