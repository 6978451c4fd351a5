import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCleanups } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { checkOut, startEarlier, trainerOf } from './earlier-service.js'
import { type Filled, fill } from './fill.js'
import { comparePredictions, openAll, runAgain } from './open.js'
import { STATES, type State } from './states.js'

/**
 * Creates data folders with earlier states of the repository and opens them with the current one: every listed item opens, models predict
 * and the saved workflow trains the same values, to the last digit, and a folder without its database is refused. Exits with 1 if a
 * promise is broken.
 *
 *     npm run test:upgrade -- [--state 43fb4a0c] [--programs /tmp/medloom-upgrade]
 */
const { values } = parseArgs({
  options: {
    state: { type: 'string' },
    /** Programs of earlier states, reused by the next run. */
    programs: { type: 'string', default: join(tmpdir(), 'medloom-upgrade') },
  },
})
const chosen = STATES.filter(({ commit }) => values.state === undefined || commit === values.state)
if (chosen.length === 0 && values.state)
  chosen.push({ name: values.state, commit: values.state, studies: true })
const dataset = makeDataset(join(temporaryFolder('root'), 'dataset'))
try {
  for (const state of chosen) await upgrade(state)
} finally {
  runCleanups()
}

async function upgrade(state: State): Promise<void> {
  const began = Date.now()
  const log = (line: string) =>
    console.log(`${state.name}: ${line} (${((Date.now() - began) / 1000).toFixed(0)} s)`)
  const report = (promise: string, failures: readonly string[]) => {
    log(`${failures.length === 0 ? 'kept  ' : 'BROKEN'} ${promise}`)
    for (const failure of failures) console.log(`    ${failure}`)
    if (failures.length > 0) process.exitCode = 1
  }
  const program = checkOut(state.commit, join(values.programs, state.commit), log)
  const folder = temporaryFolder('upgrade')
  const dataDir = join(folder, 'data')
  const filled = await made(program, state, dataDir, log)
  const copies = ['missing', 'empty'].map((name) => join(folder, name))
  for (const copy of copies) cpSync(dataDir, copy, { recursive: true })

  const service = await startService({
    roots: [join(dataset, '..')],
    dataDir,
    env: trainerOf(REPOSITORY),
  })
  try {
    const { opened, failures } = await openAll(service.url)
    report(`everything listed opens: ${opened} answers`, failures)
    report(
      'models predict what they predicted',
      await found(comparePredictions(service.url, filled, dataset)),
    )
    report(
      'the saved workflow trains with the configuration that it had',
      await found(runAgain(service.url, filled)),
    )
  } finally {
    await service.stop()
  }
  for (const copy of copies)
    report(`a folder whose database is ${copy.split('/').at(-1)} is refused`, await refused(copy))
}

async function made(
  program: string,
  state: State,
  dataDir: string,
  log: (line: string) => void,
): Promise<Filled> {
  const earlier = await startEarlier(program, [join(dataset, '..')], dataDir)
  try {
    const filled = await fill(earlier.url, state, dataset)
    log('has made its data folder')
    return filled
  } finally {
    await earlier.stop()
  }
}

/** The trainings of a folder are not silently ignored. */
async function refused(dataDir: string): Promise<string[]> {
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `medloom.db${end}`), { force: true })
  if (dataDir.endsWith('empty')) writeFileSync(join(dataDir, 'medloom.db'), '')
  try {
    const service = await startService({ roots: [join(dataset, '..')], dataDir })
    await service.stop()
    return ['the service starts as if the folder were new']
  } catch (error) {
    const text = String(error)
    if (/\n\s+at /.test(text) || !text.includes('medloom.db'))
      return [`the refusal does not say why: ${text}`]
    return []
  }
}

/** A promise that could not be checked is broken. */
async function found(failures: Promise<string[]>): Promise<string[]> {
  try {
    return await failures
  } catch (error) {
    return [String(error)]
  }
}
