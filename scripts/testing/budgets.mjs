// Time budgets: the maximum time of each part of the default selection, in multiples of the calibrating loop of the same run.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('budgets.json', import.meta.url))
const TOLERANCE = 1.5
/** Runnable processes per core from which a machine is too busy to be measured. */
const BUSY = 0.5

/** Multiples of the calibrating loop per part; null: not measured yet. */
export function readBudgets(file = FILE) {
  return JSON.parse(readFileSync(file, 'utf8')).parts
}

/** Reports whether the machine was quiet at the start of the run, by its load average of the last minute. */
export function isQuiet(load, cores) {
  return load < BUSY * cores
}

/** A sentence for each part that took more than 1.5 times its budget. `parts`: seconds by id; `calibration`: seconds of one loop. */
export function overBudget(parts, calibration, budgets) {
  return Object.entries(parts).flatMap(([id, { seconds }]) => {
    const budget = budgets[id]
    const loops = seconds / calibration
    if (typeof budget !== 'number' || loops <= TOLERANCE * budget) return []
    const allowed = (TOLERANCE * budget * calibration).toFixed(0)
    return [
      `${id} took ${seconds.toFixed(0)} s; at most ${allowed} s are allowed on this machine. ` +
        'Make its tests faster, or raise its budget in scripts/testing/budgets.json and say why.',
    ]
  })
}
