#!/usr/bin/env node
// npm test: every check of the repository, and one closing line with the sum. A check that is not a test suite counts as one.
// --quick (npm run test:quick): the tests that start no service and train no model, in under a minute.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pythonIn, trainerEnvironment } from './setup/environment.mjs'
import { SetUpError, setUp } from './setup/set-up.mjs'
import { ready, root } from './setup.mjs'
import { ofPytest, ofVitest } from './testing/outcome.mjs'

await ready('test')
if (!process.argv.includes('--quick')) await tryRay()

const python = pythonIn(trainerEnvironment(root))
const trainer = join(root, 'trainer')
const scratch = mkdtempSync(join(tmpdir(), 'medloom-test-'))
const bin = (path) => [process.execPath, join(root, 'node_modules', ...path.split('/'))]

const STATIC = [
  { title: 'Format and lint (biome)', command: [...bin('@biomejs/biome/bin/biome'), 'check', '.'] },
  {
    title: 'Generated files are current',
    command: [...bin('tsx/dist/cli.mjs'), '--conditions=medloom-source', 'scripts/generate.ts', '--check'],
  },
  { title: 'Types (tsc)', command: [...bin('typescript/bin/tsc'), '-b'] },
  {
    title: 'Types of tests and benches (tsc)',
    command: [...bin('typescript/bin/tsc'), '-p', 'tsconfig.tests.json'],
  },
  {
    title: 'Types of the tests of the page (tsc)',
    command: [...bin('typescript/bin/tsc'), '-p', 'tests/page'],
  },
  { title: 'Lint (ruff)', command: [python, '-m', 'ruff', 'check', '--no-cache', '.'] },
  { title: 'Types (mypy)', command: [python, '-m', 'mypy'], cwd: trainer },
]
const PARALLEL = ['-n', '2', '--dist', 'worksteal']
const PACKAGES = vitest('Packages (vitest)', 'packages')
const PAGE = vitest('Page in Chromium (vitest)', 'page')
const TRAINER = pytest('Trainer (pytest)', [...PARALLEL, '--durations=25'])
const SERVICE = vitest('Service, end to end (vitest)', 'service')
const CLUSTER = vitest('With a cluster (vitest)', 'cluster')
const TABLE = {
  title: 'The specification and its tests are current',
  command: [
    ...bin('tsx/dist/cli.mjs'),
    join(root, 'scripts/specification-table.ts'),
    join(scratch, 'service.json'),
    '--check',
  ],
}

// In this order, the suites by their length: so no long one is left to run alone at the end.
const FULL = [...STATIC, TRAINER, SERVICE, PAGE, PACKAGES]
const QUICK = [
  vitest('Packages without a service (vitest)', 'packages', ['--tags-filter=!service && !documents']),
  pytest('Trainer without training (pytest)', ['-m', 'not slow', ...PARALLEL]),
]
/** Checks that run side by side. Tests wait for what they start a third of their time, which another check can use. */
const AT_ONCE = 2

// The tests start some hundred Python processes, each of which would compile the trainer again where the environment forbids to keep it.
const KEEP_COMPILED = { PYTHONDONTWRITEBYTECODE: '' }

const children = new Set()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
    rmSync(scratch, { recursive: true, force: true })
    process.exit(signal === 'SIGINT' ? 130 : 143)
  })

const total = { passed: 0, failed: 0, skipped: 0 }
const broken = []
if (process.argv.includes('--quick')) await runAll(QUICK)
else {
  await runAll(FULL)
  // Alone: its nodes take what the machine has.
  await runAll([CLUSTER])
  // It reads what the suite of the service reports.
  await runAll([TABLE])
}
rmSync(scratch, { recursive: true, force: true })

console.log(broken.length > 0 ? '\nFailed:' : '\nEvery check passed.')
for (const { title, failures } of broken) console.log([title, ...failures].join('\n  '))
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = broken.length > 0 ? 1 : 0

/** Tests with a Ray cluster are left out where Ray does not install. */
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

function vitest(title, project, options = []) {
  const report = join(scratch, `${project}.json`)
  return {
    title,
    command: [
      ...bin('vitest/vitest.mjs'),
      'run',
      '--project',
      project,
      ...options,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    outcome: () => ofVitest(report, root),
  }
}

function pytest(title, options = []) {
  const report = join(scratch, 'pytest.xml')
  return {
    title,
    command: [python, '-m', 'pytest', ...options, `--junitxml=${report}`],
    cwd: trainer,
    env: { OMP_NUM_THREADS: '1' },
    outcome: () => ofPytest(report),
  }
}

/** Each check as soon as there is a place for it. */
async function runAll(checks) {
  const waiting = [...checks]
  const place = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { check, outcome, ok } = await run(next)
      for (const key of Object.keys(total)) total[key] += outcome[key]
      if (!ok) broken.push({ title: check.title, failures: outcome.failures })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, place))
}

/** Run one check and print what it says in one piece, so that two at a time stay readable. */
function run(check) {
  const began = Date.now()
  const [command, ...args] = check.command
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: check.cwd ?? root,
      env: { ...process.env, ...KEEP_COMPILED, ...check.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    let output = ''
    const read = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('error', (error) => read(`${error.message}\n`))
    child.on('close', (code) => {
      children.delete(child)
      const ok = code === 0
      const alone = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, failures: [] }
      const outcome = check.outcome?.() ?? alone
      // A suite that fails without a failed test (a file that cannot be loaded, a crash) counts as one failure.
      if (!ok && outcome.failed === 0) outcome.failed = 1
      const seconds = ((Date.now() - began) / 1000).toFixed(1)
      console.log(`\n── ${check.title}: ${ok ? 'passed' : 'FAILED'} (${seconds} s)\n${output.trimEnd()}`)
      resolve({ check, outcome, ok })
    })
  })
}
