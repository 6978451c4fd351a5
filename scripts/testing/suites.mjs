// The test suites as commands: start commands of vitest and pytest, and readers of their reports.
import { join } from 'node:path'
import { durationsOfPytest, durationsOfVitest } from './durations.mjs'
import { workersPerSuite } from './machine.mjs'
import { ofPytest, ofVitest } from './outcome.mjs'
import { filesBelow, suiteOf } from './select.mjs'
import { shuffled } from './shuffle.mjs'

export const TITLES = {
  trainer: 'Trainer (pytest)',
  packages: 'Packages (vitest)',
  service: 'Service, end to end (vitest)',
  page: 'Page in Chromium (vitest)',
  cluster: 'With a cluster (vitest)',
}

/** Tests that a run excludes, in the notation of each program. */
const LEFT_OUT = {
  // All named tests.
  nothing: { vitest: [], pytest: [] },
  full: { vitest: ['--tags-filter=!full'], pytest: ['-m', 'not full'], tags: ['full'] },
  allButFull: { vitest: ['--tags-filter=full'], pytest: ['-m', 'full'] },
  slow: {
    vitest: ['--tags-filter=!service && !documents && !full'],
    pytest: ['-m', 'not slow and not full'],
    tags: ['service', 'documents', 'full'],
  },
}

/** The tests of a file of the other suites share one service, whose state they build up in the order in which they are written. */
const SHUFFLED = (project) => [
  '--sequence.shuffle.files',
  ...(project === 'packages' ? ['--sequence.shuffle.tests'] : []),
]

/**
 * One suite as a check. `files`: only these, as paths from the root; absent: all. `leaveOut`: a name of LEFT_OUT. `folder`: folder of its
 * report. `seed`: seed of a random order.
 */
export function suite(name, { id = name, title = TITLES[name], context, ...options }) {
  const make = name === 'trainer' ? pytest : vitest
  return { id, title, lane: 'suite', ...make(name, { ...options, id }, context) }
}

function vitest(project, { id, files = [], leaveOut, seed }, { root, folder, bin }) {
  const report = join(folder, `${id}.json`)
  const { vitest: filter, tags = [] } = LEFT_OUT[leaveOut]
  const order = seed === undefined ? [] : [...SHUFFLED(project), `--sequence.seed=${seed}`]
  return {
    command: [
      ...bin('vitest/vitest.mjs'),
      'run',
      ...['--project', project],
      ...filter,
      ...order,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ],
    report,
    outcome: () => ofVitest(report, root, tags),
    durations: () => durationsOfVitest(report, root),
  }
}

function pytest(_name, { id, files, leaveOut, seed }, { root, folder, python }) {
  const report = join(folder, `${id}.xml`)
  const all = () => [...filesBelow(root, 'trainer/tests')].filter((file) => suiteOf(file) === 'trainer')
  const chosen = seed === undefined ? (files ?? []) : shuffled(files ?? all(), seed)
  // Workers take seconds to start, which is not worthwhile for one file.
  const workers = files?.length === 1 ? [] : ['-n', String(workersPerSuite()), '--dist', 'worksteal']
  return {
    command: [
      ...[python, '-m', 'pytest'],
      ...LEFT_OUT[leaveOut].pytest,
      ...workers,
      `--junitxml=${report}`,
      ...chosen.map((file) => file.replace(/^trainer\//, '')),
    ],
    cwd: join(root, 'trainer'),
    // Files whose tests are all excluded.
    ...(files && leaveOut !== 'nothing' ? { noTests: 5 } : {}),
    report,
    outcome: () => ofPytest(report),
    durations: () => durationsOfPytest(report),
  }
}
