/** @module-tag full */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { RUN } from '../../scripts/documents/documented-commands.mjs'
import { commandsInSentences, nameOf, shownCommands, wordsOf } from '../../scripts/documents/pages.mjs'
import { curl } from '../testing/curl.js'
import { makeDataset } from '../testing/dataset.js'
import { type Ended, ended, MedloomCommand } from '../testing/medloom-command.js'
import { REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

// scripts/documents/commands.test.mjs checks that every documented command is run here or has a reason.

/** Name of a command in RUN → its words. */
const documented = new Map<string, string[]>(
  [...commandsInSentences(), ...shownCommands().map(({ words }) => words)].map((words) => [
    nameOf(words),
    wordsOf(words),
  ]),
)

const root = temporaryFolder('documented')
let url = ''
/** A training with its model, so that the scenarios can run in any order. */
let first: Job
/** Id of the workflow that was created last over HTTP. */
let workflow = ''

beforeAll(async () => {
  mkdirSync(join(root, 'my-nodes'))
  const service = await startService({
    roots: [root],
    trainer: 'recorded',
    recordings: shared.recordings,
    arguments: ['--nodes', join(root, 'my-nodes')],
  })
  url = service.url
  // The example study needs more cases than the other commands.
  makeDataset(join(root, 'medloom-demo/synthetic'), { cases: 120 })
  makeDataset(join(root, 'study'))
  cpSync(join(REPOSITORY, 'examples'), join(root, 'examples'), { recursive: true })
  // Every service of the tests replays this training.
  writeFileSync(join(root, 'study/config.yaml'), JSON.stringify(trainingConfig('')))
  first = await train()
  return () => service.stop()
})

describe('documented commands', () => {
  it('of the tutorials run', async () => {
    cpSync(join(root, 'study/test.csv'), join(root, 'other-hospital.csv'))
    cpSync(join(root, 'study/images'), join(root, 'images'), { recursive: true })
    writeFileSync(join(root, 'study/report.yaml'), 'report:\n  ethics: Approved.\n')
    await runAll('tutorial')
  })

  it('of workflows run', () => runAll('workflows'))

  it('for looking at data run', async () => {
    const row = (row: number) => ({
      patient_id: `p${row}`,
      age: 40 + (row % 40),
      code: row % 3,
      biopsed: row % 2,
      label: row % 5 < 2 ? 'malignant' : 'benign',
    })
    for (const folder of ['codes/study', 'codes/archive/study']) writeTable(folder, 'train.csv', row)
    // The tutorial registers a dataset of the same name.
    await commandIn('').run('datasets', 'rm', 'study', '--yes')
    await runAll('looking at data', 'codes')
  })

  it('for synthetic data run', async () => {
    cpSync(join(REPOSITORY, 'examples/make_dataset.py'), join(root, 'synthetic/examples/make_dataset.py'))
    await runAll('synthetic data', 'synthetic')
  })

  it('for files without a configuration run', async () => {
    const row = (row: number) => ({ subject: `s${row}`, grade: row % 7, diagnosis: row % 3 ? 'a' : 'b' })
    writeTable('files/study', 'cases.csv', row)
    await runAll('reading data', 'files')
  })

  it('for other outcomes run', async () => {
    const common = (row: number) => ({ patient_id: `p${row}`, age: 40 + (row % 30) })
    const tables: Record<string, (row: number) => Record<string, string | number>> = {
      'patients.csv': (row) => ({ ...common(row), days: 10 + row, dead: row % 2 }),
      'films.csv': (row) => ({
        ...common(row),
        nodule: row % 2,
        effusion: row % 3 && 1,
        edema: row % 5 && 1,
      }),
      'study.csv': (row) => ({
        ...common(row),
        biopsed: row % 2,
        cancer: row % 2,
        label: row % 2 ? 'a' : 'b',
      }),
    }
    for (const [name, row] of Object.entries(tables)) writeTable('outcomes', name, row)
    await runAll('outcomes', 'outcomes')
  })

  it('of predictions run', async () => {
    const study = join(root, 'study')
    cpSync(join(study, 'test.csv'), join(study, 'new-cases.csv'))
    cpSync(join(study, 'images/case_00001.png'), join(study, 'scans/1.png'))
    // The latest model may be of another scenario.
    await train()
    await runAll('predictions', 'study')
  })

  it('of follow-ups run', async () => {
    const ward = join(root, 'ward')
    cpSync(join(root, 'study'), ward, { recursive: true })
    const [head = '', ...rows] = readFileSync(join(ward, 'test.csv'), 'utf8').trim().split('\n')
    const label = head.split(',').indexOf('label')
    const table = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
    const cases = rows.map((row, index) => `c${index},${row}`)
    writeFileSync(join(ward, 'new-cases.csv'), table([`case_id,${head}`, ...cases]))
    const outcomes = rows.map((row, index) => `c${index},${row.split(',')[label]}`)
    writeFileSync(join(ward, 'outcomes.csv'), table(['case_id,label', ...outcomes]))
    await train()
    await commandIn('').run('aliases', 'set', 'champion', 'latest')
    await runAll('follow-ups', 'ward')
  })

  it('of custom nodes run', () => runAll('custom nodes'))

  it('of users run', () => runAll('people'))

  it('of studies run', () => runAll('studies'))
})

/** Runs the commands of a scenario one after the other. */
async function runAll(scenario: keyof typeof RUN, folder = ''): Promise<void> {
  const command = commandIn(folder)
  for (const name of RUN[scenario]) {
    const [program, ...given] = documented.get(name) ?? []
    const words = await filledIn(given)
    const run = { curl: request, node }[program ?? '']
    const { code, stderr } = await (run ? run(words, folder) : command.run(...words))
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
  }
}

const commandIn = (folder: string) =>
  new MedloomCommand(join(root, folder), { MEDLOOM_URL: url, XDG_STATE_HOME: join(root, 'state') })

/** The words with the ids of this service for those that the pages show. */
async function filledIn(words: readonly string[]): Promise<string[]> {
  const { jobs } = JSON.parse((await commandIn('').run('jobs', 'ls', '--json')).stdout)
  const latest: Job = jobs[0]
  const ids: Record<string, string | null> = {
    $job: latest.job_id,
    '<job_id>': latest.job_id,
    $model: latest.model_id,
    '3be0': first.job_id,
    resnet18_gated_001: first.model_id,
    $id: workflow,
  }
  return words.map((word) =>
    Object.entries(ids).reduce((filled, [shown, id]) => filled.replace(shown, id ?? shown), word),
  )
}

async function train(): Promise<Job> {
  const { run } = commandIn('')
  expect(await run('train', '-f', 'study/config.yaml', '--watch')).toMatchObject({ code: 0 })
  return JSON.parse((await run('jobs', 'status', 'latest', '--json')).stdout)
}

/** A script of the repository, from another folder. */
const node = ([script = '', ...words]: readonly string[], folder: string): Promise<Ended> =>
  ended(spawn(process.execPath, [join(REPOSITORY, script), ...words], { cwd: join(root, folder) }))

async function request(words: readonly string[], folder: string): Promise<Pick<Ended, 'code' | 'stderr'>> {
  const response = await curl(url, words, join(root, folder))
  const answer = await response.text()
  if (!response.ok) return { code: 22, stderr: answer }
  workflow = JSON.parse(answer).workflow_id ?? workflow
  return { code: 0, stderr: '' }
}

/** Writes a table of 60 rows. */
function writeTable(
  folder: string,
  name: string,
  row: (index: number) => Record<string, string | number>,
): void {
  const rows = Array.from({ length: 60 }, (_, index) => row(index))
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((cells) => Object.values(cells))]
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, folder, name), lines.map((cells) => `${cells.join(',')}\n`).join(''))
}
