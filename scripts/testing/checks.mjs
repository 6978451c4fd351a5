// From the options to the checks of a run.
import { longestFirst } from './plan.mjs'
import { specificationCheck, staticChecks } from './static-checks.mjs'
import { suite, TITLES } from './suites.mjs'

const SUITES = Object.keys(TITLES)
/** Values of --part. The table of the specification belongs to the service part, whose report it reads. */
export const PARTS = ['static', ...SUITES]

/**
 * Checks of one run, in the order in which they start.
 *
 * `selection`: quick, full, default, files or changed; `parts`: only these; `files`: selected test files by suite; `marked`: files with
 * tests marked "full" by suite; `seed`: of a random order; `seconds`: of an earlier run, by check; `context`: root, folder, python, bin.
 */
export function checksFor({
  selection,
  parts = PARTS,
  files = {},
  marked = {},
  seed,
  seconds = {},
  context,
}) {
  const make = (name, options) => suite(name, { seed, context, ...options })
  const makeChosen = (leaveOut) =>
    Object.entries(files).map(([name, chosen]) => make(name, { files: chosen, leaveOut }))
  const makers = {
    quick: () => [
      make('packages', { title: 'Packages without a service (vitest)', leaveOut: 'slow' }),
      make('trainer', { title: 'Trainer without training (pytest)', leaveOut: 'slow' }),
    ],
    files: () => makeChosen('nothing'),
    changed: () => makeChosen('full'),
    default: () => [...wholeSuites(parts, make, context), ...staticOf(parts, context)],
    full: () => [
      ...wholeSuites(parts, make, context),
      ...markedSuites(parts, marked, make),
      ...staticOf(parts, context),
    ],
  }
  return longestFirst(makers[selection](), seconds)
}

const staticOf = (parts, context) => (parts.includes('static') ? staticChecks(context) : [])

/** Each suite without the tests marked "full". */
function wholeSuites(parts, make, context) {
  return SUITES.filter((name) => parts.includes(name)).map((name) => {
    const check = make(name, { leaveOut: 'full' })
    return name === 'service' ? { ...check, next: specificationCheck(context, check.report) } : check
  })
}

/** Tests marked "full" form separate suites, so that the budgets of the others stay comparable. */
function markedSuites(parts, marked, make) {
  return Object.entries(marked)
    .filter(([name]) => parts.includes(name))
    .map(([name, files]) =>
      make(name, {
        id: `${name}-full`,
        title: `${TITLES[name]}, marked full`,
        files,
        leaveOut: 'allButFull',
      }),
    )
}
