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
 * Runs the checks. Suites start in order as soon as `hasRoom(ids of the running ones, id)`; a later one that fits is not held back by an earlier one
 * that does not. Static checks run one after another in parallel with them. A check under `next` reads the report of its parent check, and
 * runs after it.
 */
export async function runPlan(checks, { hasRoom, run }) {
  const chosen = (lane) => checks.filter((check) => check.lane === lane)
  await Promise.all([inTurn(chosen('static'), run), packed(chosen('suite'), hasRoom, run)])
}

async function inTurn(checks, run) {
  for (const check of checks) await withNext(check, run)
}

async function withNext(check, run) {
  for (let one = check; one; one = one.next) await run(one)
}

async function packed(checks, hasRoom, run) {
  const waiting = [...checks]
  const running = new Map()
  while (waiting.length > 0 || running.size > 0) {
    const place = waiting.findIndex(({ id }) => hasRoom([...running.keys()], id))
    if (place < 0) {
      await Promise.race(running.values())
      continue
    }
    const [check] = waiting.splice(place, 1)
    const ended = withNext(check, run).finally(() => running.delete(check.id))
    running.set(check.id, ended)
  }
}
