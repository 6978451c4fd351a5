// The test suites as commands: what vitest and pytest are started with, and how their reports are read.
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

/** Tests that a run leaves out, as each program calls them. */
const LEFT_OUT = {
  // Everything that was named.
  nothing: { vitest: [], pytest: [] },
  full: { vitest: ['--tags-filter=!full'], pytest: ['-m', 'not full'], tags: ['full'] },
  allButFull: { vitest: ['--tags-filter=full'], pytest: ['-m', 'full'] },
  slow: {
    vitest: ['--tags-filter=!service && !documents && !full'],
    pytest: ['-m', 'not slow and not full'],
    tags: ['service', 'documents', 'full'],
  },
}

/**
 * One suite as a check. `files`: only these, as paths from the root; without it all. `leaveOut`: a name of LEFT_OUT. `folder`: where its
 * report goes. `seed`: of a random order.
 */
export function suite(name, { id = name, title = TITLES[name], context, ...options }) {
  const make = name === 'trainer' ? pytest : vitest
  return { id, title, lane: 'suite', ...make(name, { ...options, id }, context) }
}

function vitest(project, { id, files = [], leaveOut, seed }, { root, folder, bin }) {
  const report = join(folder, `${id}.json`)
  const { vitest: filter, tags = [] } = LEFT_OUT[leaveOut]
  const order = seed === undefined ? [] : ['--sequence.shuffle', `--sequence.seed=${seed}`]
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
  // Workers take seconds to start, which one file is not worth.
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
    // Files whose tests are all left out.
    ...(files && leaveOut !== 'nothing' ? { noTests: 5 } : {}),
    report,
    outcome: () => ofPytest(report),
    durations: () => durationsOfPytest(report),
  }
}
