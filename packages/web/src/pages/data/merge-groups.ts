import type { Distribution } from '@medloom/contracts'
import type { GROUPINGS } from './search'

/** Cases of one class, of one split, or all cases. */
export interface Group {
  /** null: without a class or a split. */
  readonly name: string | null
  readonly cases: number
  readonly missing: number
  readonly counts: readonly number[]
  readonly rest: number
}

/** Groups of a distribution, merged by class or split; the largest first. */
export function mergeGroups(
  { groups }: Pick<Distribution, 'groups'>,
  by: (typeof GROUPINGS)[number],
): readonly Group[] {
  const merged = new Map<string | null, Group>()
  for (const group of groups) {
    const name = by === 'none' ? null : group[by]
    const known = merged.get(name)
    merged.set(name, {
      name,
      cases: group.cases + (known?.cases ?? 0),
      missing: group.missing + (known?.missing ?? 0),
      counts: group.counts.map((count, index) => count + (known?.counts[index] ?? 0)),
      rest: group.rest + (known?.rest ?? 0),
    })
  }
  return [...merged.values()].sort((a, b) => b.cases - a.cases)
}
