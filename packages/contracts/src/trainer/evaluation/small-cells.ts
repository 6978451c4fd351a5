/** Counts from 1 to this number minus 1 are small: together with other columns of a report they may reveal the outcome of a patient. */
export const SMALL_CELL = 5

/** size: the counts and all results of a group are withheld; events: its event count and results. */
export const WITHHELD = ['size', 'events'] as const

/** A group of a column, as in the subgroups of an EvaluationResult. */
interface Group {
  column: string
  cases: number | null
  patients?: number | null | undefined
  events: number | null
  metrics: Record<string, number | null>
  intervals?: object | undefined
  /** Absent: counts of the group were not judged yet. */
  withheld?: (typeof WITHHELD)[number] | null | undefined
}

/**
 * The groups without counts from 1 to 4 of cases, patients, events and cases without the event, for tables that leave the place where the
 * data is stored. The groups of a column add up to all cases, whose counts are known. To prevent a withheld count from being computed as
 * their difference, further groups of the column are withheld, the smallest first, until at least two are withheld with at least 5 cases,
 * patients, events and cases without the event in total. The results of a group reveal its counts, and are withheld with them. Groups that
 * were judged before stay as they are.
 */
export function withoutSmallCells<G extends Group>(groups: G[]): G[] {
  if (groups.some(({ withheld }) => withheld !== undefined)) return groups
  const columns = new Map<string, G[]>()
  for (const group of groups) columns.set(group.column, [...(columns.get(group.column) ?? []), group])
  const sizes = new Set<G>()
  const events = new Set<G>()
  for (const column of columns.values()) {
    for (const group of withheldIn(column, hasSmallSize, [casesOf, patientsOf])) sizes.add(group)
    const hidden = (group: G) => sizes.has(group) || hasSmallOutcome(group)
    for (const group of withheldIn(column, hidden, [eventsOf, othersOf])) events.add(group)
  }
  return groups.map((group): G => {
    if (sizes.has(group))
      return { ...group, ...NOTHING, cases: null, patients: null, events: null, withheld: 'size' }
    if (events.has(group)) return { ...group, ...NOTHING, events: null, withheld: 'events' }
    return { ...group, withheld: null }
  })
}

const NOTHING = { metrics: {}, intervals: {} }

const casesOf = ({ cases }: Group): number | null => cases
/** Null if patients are unknown. */
const patientsOf = ({ patients }: Group): number | null => patients ?? null
/** Null if events are not counted. */
const eventsOf = ({ events }: Group): number | null => events
const othersOf = ({ cases, events }: Group): number | null =>
  cases === null || events === null ? null : cases - events

const isSmall = (count: number | null | undefined): boolean =>
  typeof count === 'number' && count > 0 && count < SMALL_CELL

const hasSmallSize = ({ cases, patients }: Group): boolean => isSmall(cases) || isSmall(patients)

const hasSmallOutcome = (group: Group): boolean => isSmall(eventsOf(group)) || isSmall(othersOf(group))

/** The groups for which `isHidden` is true, and as many others as are needed to prevent their computation. */
function withheldIn<G extends Group>(
  column: readonly G[],
  isHidden: (group: G) => boolean,
  counts: readonly ((group: Group) => number | null)[],
): G[] {
  const hidden = column.filter(isHidden)
  if (hidden.length === 0) return []
  const least = (group: G) => Math.min(...counts.map((count) => count(group) ?? group.cases ?? 0))
  const others = column.filter((group) => !isHidden(group)).toSorted((a, b) => least(a) - least(b))
  const isOpen = () =>
    hidden.length < 2 ||
    counts.some((count) => {
      const known = hidden.flatMap((group) => count(group) ?? [])
      return known.length > 0 && known.reduce((sum, one) => sum + one, 0) < SMALL_CELL
    })
  for (const group of others) {
    if (!isOpen()) break
    hidden.push(group)
  }
  return hidden
}
