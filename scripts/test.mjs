#!/usr/bin/env node
// npm test: every check of the repository, and a final line with the totals. A check that is not a test suite counts as one.
// "npm test -- --help" lists the options; docs/testing.md explains them.
import { existsSync, mkdtempSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pythonIn, trainerEnvironment } from './setup/environment.mjs'
import { SetUpError, setUp } from './setup/set-up.mjs'
import { ready, root } from './setup.mjs'
import { isQuiet, overBudget, readBudgets } from './testing/budgets.mjs'
import { calibrate, REFERENCE } from './testing/calibrate.mjs'
import { affectedTests } from './testing/changed.mjs'
import { checksFor, PARTS } from './testing/checks.mjs'
import { crowding, hasRoom } from './testing/machine.mjs'
import { readOptions, USAGE, UsageError } from './testing/options.mjs'
import { factorOf, PATIENCE_VARIABLE } from './testing/patience.mjs'
import { runPlan } from './testing/plan.mjs'
import { cleanUp, endOnSignal } from './testing/processes.mjs'
import { Progress } from './testing/progress.mjs'
import { currentCommit, newRunFolder, timesFileIn } from './testing/results.mjs'
import { runCheck } from './testing/run-check.mjs'
import { filesMarkedFull, selectFiles } from './testing/select.mjs'
import { newSeed } from './testing/shuffle.mjs'
import { countsLine, failuresOf, timesOf, totalOf } from './testing/summary.mjs'
import { appendTimes, lastSeconds, readTimes, timesTable } from './testing/times.mjs'

const python = pythonIn(trainerEnvironment(root))
const bin = (path) => [process.execPath, join(root, 'node_modules', ...path.split('/'))]
const cores = availableParallelism()
const timesFile = timesFileIn(root)
/** Suites that start the built service; the others read the sources. */
const NEED_BUILD = ['service', 'page', 'cluster']
// The tests start hundreds of Python processes, each of which would compile the trainer again if the environment forbids storing it.
const KEEP_COMPILED = { PYTHONDONTWRITEBYTECODE: '' }
// More processes than cores compute at the same time. Threads that wait for each other would occupy a core: a training with two threads
// then takes three times the work.
const ONE_THREAD = { OMP_NUM_THREADS: '1' }

/** Temporary files of the tests. The name is short, because it is part of socket paths. */
const temporary = mkdtempSync(join(tmpdir(), 'medloom-'))
endOnSignal(temporary)
try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
} finally {
  cleanUp(temporary)
}

async function main() {
  const options = readOptions(process.argv.slice(2), PARTS)
  if (options.help) return print(USAGE.replace('PARTS', PARTS.join(', ')))
  if (options.times) return print(timesTable(readTimes(timesFile)))
  const plan = await planOf(options)
  if (plan === null) return 0
  await prepare(plan)
  const speed = await measureSpeed(options)
  const runs = []
  for (let run = 0; run < options.repeat; run++) {
    if (options.repeat > 1) console.log(`\nRun ${run + 1} of ${options.repeat}`)
    runs.push(await runOnce(plan, speed, options.shuffle ? (options.seed ?? newSeed()) + run : undefined))
  }
  return conclude(runs)
}

function print(text) {
  console.log(text)
  return 0
}

/** The plan of a run: the name of the selection, and its files or parts; null if nothing runs. */
async function planOf(options) {
  if (options.files.length > 0)
    return { selection: 'files', files: selectFiles(root, options.files, process.cwd()) }
  if (options.changed) return changedPlan(options.since)
  if (options.quick) return { selection: 'quick' }
  const parts = options.part.length > 0 ? options.part : PARTS
  const selection = options.full ? 'full' : 'default'
  const whole = options.part.length === 0 && !options.load
  return { selection, parts, whole, ...(options.full ? { marked: filesMarkedFull(root) } : {}) }
}

async function changedPlan(since) {
  const { suites, unreached, changed, clusterTests } = await affectedTests({ root, python, since })
  const count = Object.values(suites).flat().length
  console.log(`Changed files: ${changed}. Test files that import them: ${count}.`)
  if (clusterTests > 0) console.log(`Left out: ${clusterTests} test files that need a cluster.`)
  if (unreached.length > 0) console.log(`No test imports these files:\n  ${unreached.join('\n  ')}`)
  return count > 0 ? { selection: 'changed', files: suites } : null
}

/** Installs and builds what the selection needs. Tests that read the sources need no build. */
async function prepare({ files, parts = [] }) {
  const suites = files ? Object.keys(files) : parts
  const installed = existsSync(python) && existsSync(join(root, 'node_modules', 'vitest'))
  if (!files || !installed || NEED_BUILD.some((name) => suites.includes(name))) await ready('test')
  if (suites.includes('cluster')) await tryRay()
}

/** Tests with a Ray cluster are skipped if Ray cannot be installed. */
async function tryRay() {
  try {
    await setUp({ root, purpose: 'ray' })
  } catch (error) {
    if (!(error instanceof SetUpError) || error.interrupted) throw error
    console.warn(
      `\nTests with a Ray cluster are skipped: its environment (.venv-ray) could not be made.\n${error.message}\n`,
    )
  }
}

/** Seconds of the calibrating loop, whether the machine is quiet, and the factor of the time limits. */
async function measureSpeed({ load }) {
  const quiet = isQuiet(loadavg()[0], cores)
  const calibration = await calibrate()
  const patience = factorOf(calibration / REFERENCE, { load })
  if (patience > 1)
    console.log(`The machine is slow or busy: time limits are multiplied by ${patience.toFixed(1)}.`)
  return { quiet, calibration, patience }
}

/** One run of the plan. @returns { results, problems } */
async function runOnce(plan, speed, seed) {
  const began = Date.now()
  const folder = newRunFolder(root)
  const context = { root, python, bin, folder }
  const seconds = lastSeconds(readTimes(timesFile), cores)
  if (seed !== undefined) console.log(`Order: --seed ${seed}`)
  const progress = new Progress()
  const checks = checksFor({ ...plan, seed, seconds, context })
  const suites = checks.filter(({ lane }) => lane === 'suite').length
  const env = {
    ...KEEP_COMPILED,
    ...ONE_THREAD,
    TMPDIR: temporary,
    [PATIENCE_VARIABLE]: String(speed.patience * crowding(suites, cores)),
  }
  const results = []
  await runPlan(checks, {
    hasRoom,
    run: async (check) => results.push(await runCheck(check, { root, folder, env, progress })),
  })
  progress.end()
  const run = timesRecord(plan, speed, results, (Date.now() - began) / 1000)
  if (plan.whole) appendTimes(timesFile, run)
  const problems = plan.whole && plan.selection === 'full' ? budgetProblems(run, speed) : []
  console.log(`\n${timesOf(results)}\n\nOutput of every part: ${relative(process.cwd(), folder)}`)
  console.log(`\n${failuresOf(results, problems)}`)
  return { results, problems }
}

function timesRecord({ selection }, { calibration, quiet }, results, total) {
  const { passed, failed } = totalOf(results)
  const parts = results.map(({ id, seconds, outcome }) => [
    id,
    { seconds, tests: outcome.passed + outcome.failed },
  ])
  return {
    date: new Date().toISOString(),
    commit: currentCommit(root),
    selection,
    cores,
    calibration,
    quiet,
    ok: results.every(({ ok }) => ok),
    total,
    tests: passed + failed,
    parts: Object.fromEntries(parts),
  }
}

function budgetProblems({ parts }, { calibration, quiet }) {
  if (quiet) return overBudget(parts, calibration, readBudgets())
  console.log('\nThe budgets of time were not checked: the machine was busy when the run began.')
  return []
}

/** Final lines over all runs. @returns the exit status */
function conclude(runs) {
  const failed = runs.map(({ results, problems }) => problems.length > 0 || results.some(({ ok }) => !ok))
  const numbers = failed.flatMap((isFailed, index) => (isFailed ? [index + 1] : []))
  if (runs.length > 1) console.log(`\nFailed runs: ${numbers.join(', ') || 'none'} (of ${runs.length})`)
  console.log(`\n${countsLine(totalOf(runs.flatMap(({ results }) => results)))}`)
  return numbers.length > 0 ? 1 : 0
}
