// Order of the parts: the longest first, so that no long part runs alone at the end.

/** Longest first on the machine on which the order was measured; for a clone without its own times. */
const USUAL_ORDER = ['page', 'packages', 'trainer', 'service', 'cluster']

/** The parts in the order in which they start, by the seconds of an earlier run. A part without a time comes first: it may be long. */
export function longestFirst(parts, seconds) {
  const known = parts.some(({ id }) => seconds[id] !== undefined)
  const length = known
    ? ({ id }) => seconds[id] ?? Number.POSITIVE_INFINITY
    : ({ id }) => [...USUAL_ORDER].reverse().indexOf(id)
  return parts
    .map((part, index) => ({ part, index, length: length(part) }))
    .sort((a, b) => (a.length === b.length ? a.index - b.index : b.length - a.length))
    .map(({ part }) => part)
}

/**
 * Runs the checks. Several suites run at the same time; static checks run one after another in parallel with them. A check under `next` reads
 * the report of its parent check, and runs after it.
 */
export async function runPlan(checks, { atOnce, run }) {
  const chosen = (lane) => checks.filter((check) => check.lane === lane)
  await Promise.all([inTurn(chosen('static'), 1, run), inTurn(chosen('suite'), atOnce, run)])
}

async function inTurn(checks, atOnce, run) {
  const waiting = [...checks]
  const slot = async () => {
    for (let check = waiting.shift(); check; check = check.next ?? waiting.shift()) await run(check)
  }
  await Promise.all(Array.from({ length: atOnce }, slot))
}
