import type { Distribution } from '@medloom/contracts'

export interface ClassCounts {
  readonly splits: readonly (string | null)[]
  /** cases: counts in the order of the splits. */
  readonly classes: readonly {
    readonly name: string | null
    readonly cases: readonly number[]
    readonly total: number
  }[]
}

const KNOWN = ['train', 'val', 'test']

/** Number of cases per class and split; the groups of any column contain it. */
export function classCounts(groups: Distribution['groups']): ClassCounts {
  const splits = [...new Set(groups.map(({ split }) => split))].sort((a, b) => splitRank(a) - splitRank(b))
  const names = [...new Set(groups.map((group) => group.class))]
  const classes = names.map((name) => {
    const cases = splits.map((split) =>
      sum(groups.filter((one) => one.class === name && one.split === split)),
    )
    return { name, cases, total: cases.reduce((all, count) => all + count, 0) }
  })
  return { splits, classes }
}

/** Splits in the order in which a training uses them, other values last. */
function splitRank(split: string | null): number {
  const index = KNOWN.indexOf(split ?? '')
  return index < 0 ? KNOWN.length : index
}

function sum(groups: Distribution['groups']): number {
  return groups.reduce((all, { cases }) => all + cases, 0)
}
