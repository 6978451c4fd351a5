// The times of earlier runs: one line of JSON per run of the whole selection.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const SHOWN = 12
const COMPARED = 5

/** Stores the times of a run. */
export function appendTimes(file, run) {
  appendFileSync(file, `${JSON.stringify(run)}\n`)
}

/** The runs of the file, oldest first; lines that cannot be read are skipped. */
export function readTimes(file) {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const run = JSON.parse(line)
        return run?.parts ? [run] : []
      } catch {
        return []
      }
    })
}

/** Seconds per part in the last run with the same number of cores, for the plan of the next. */
export function lastSeconds(runs, cores) {
  const last =
    runs.findLast((run) => run.cores === cores && run.ok) ?? runs.findLast((run) => run.cores === cores)
  return Object.fromEntries(Object.entries(last?.parts ?? {}).map(([id, { seconds }]) => [id, seconds]))
}

/**
 * Relative growth of a run's total, in multiples of the calibrating loop, against the median of up to five earlier runs of the same selection
 * with the same number of cores. 0.1 is 10 % longer; null if there is nothing to compare with.
 */
export function growthOf(runs, index) {
  const run = runs[index]
  const earlier = runs
    .slice(0, index)
    .filter((other) => other.ok && other.selection === run.selection && other.cores === run.cores)
    .slice(-COMPARED)
    .map(inLoops)
  if (earlier.length === 0) return null
  return inLoops(run) / median(earlier) - 1
}

const inLoops = ({ total, calibration }) => total / calibration

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2
}

const SUITES = ['trainer', 'service', 'page', 'packages', 'cluster']

/** The last runs as a table, the latest last. */
export function timesTable(runs) {
  if (runs.length === 0) return 'No times yet. "npm test" stores those of every complete run.'
  const rows = runs
    .map((run, index) => [
      run.date.slice(0, 16).replace('T', ' '),
      run.commit,
      run.selection,
      String(run.cores),
      `${run.calibration.toFixed(2)} s`,
      String(run.tests),
      ...SUITES.map((id) => (run.parts[id] ? `${run.parts[id].seconds.toFixed(0)} s` : '')),
      `${run.total.toFixed(0)} s`,
      percent(growthOf(runs, index)),
      run.ok ? 'passed' : 'failed',
    ])
    .slice(-SHOWN)
  const head = ['date', 'commit', 'selection', 'cores', 'loop', 'tests', ...SUITES, 'total', 'growth', '']
  return aligned([head, ...rows])
}

function percent(growth) {
  if (growth === null) return ''
  return `${growth < 0 ? '−' : '+'}${Math.abs(growth * 100).toFixed(0)} %`
}

/** Rows of cells as lines with aligned columns. */
export function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
