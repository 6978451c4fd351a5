import type { ComparedCase, ComparedCaseQuery } from '@medloom/contracts'
import { type CaseTable, groupsAt, numberAt, patientAt, probabilitiesAt, wordAt } from './case-table.js'
import { type Decisions, decide } from './decisions.js'
import { sortedIndexes } from './order.js'

export interface FoundComparedCases {
  readonly cases: ComparedCase[]
  readonly total: number
}

/** Correctness of the two models: 1 or 0 for the first, and for the second. */
const RIGHT = {
  both_right: [1, 1],
  only_first: [1, 0],
  only_second: [0, 1],
  both_wrong: [0, 0],
} as const satisfies Record<NonNullable<ComparedCaseQuery['agreement']>, readonly [number, number]>

/** The cases of two models that a query selects, in its order. @param first @param second the same cases, row by row */
export function findComparedCases(
  first: CaseTable,
  second: CaseTable,
  query: ComparedCaseQuery,
  offset: number,
  size: number,
): FoundComparedCases {
  const [one, other] = [decide(first, undefined), decide(second, undefined)]
  const isTrue = query.truth === undefined ? () => true : one.truthIs(query.truth)
  const wanted = query.agreement && RIGHT[query.agreement]
  const agrees = (index: number) =>
    wanted === undefined || (one.correct?.[index] === wanted[0] && other.correct?.[index] === wanted[1])
  const keys = query.order_by === 'difference' ? differences(first, second) : first.place
  let total = 0
  const page: number[] = []
  for (const index of sortedIndexes(keys ?? first.place, keys !== null && query.order === 'desc')) {
    if (!isTrue(index) || !agrees(index)) continue
    if (total >= offset && page.length < size) page.push(index)
    total++
  }
  return {
    total,
    cases: page.map((index) => ({
      row: first.row[index] ?? 0,
      file: wordAt(first.file, index) || null,
      split: wordAt(first.split, index),
      truth: one.truthAt(index),
      groups: groupsAt(first, index),
      patient: query.identifiers === 'true' ? patientAt(first, index) : null,
      first: judgment(first, one, index),
      second: judgment(second, other, index),
    })),
  }
}

function judgment(table: CaseTable, decisions: Decisions, index: number): ComparedCase['first'] {
  const correct = numberAt(decisions.correct, index)
  return {
    predicted: decisions.predictedAt(index),
    correct: correct === null ? null : correct === 1,
    probabilities: probabilitiesAt(table, index),
    confidence: numberAt(decisions.confidence, index),
    risk: numberAt(table.risk, index),
    loss: numberAt(table.loss, index),
  }
}

/** The same two tables always give the same array, so that its order is cached. */
const known = new WeakMap<CaseTable, WeakMap<CaseTable, Float64Array>>()

/** Loss of the first minus that of the second; null if the tables have no loss. */
function differences(first: CaseTable, second: CaseTable): Float64Array | null {
  if (!first.loss || !second.loss) return null
  const ofFirst = known.get(first) ?? new WeakMap<CaseTable, Float64Array>()
  known.set(first, ofFirst)
  const losses = second.loss
  const found = ofFirst.get(second) ?? first.loss.map((loss, index) => loss - (losses[index] ?? Number.NaN))
  ofFirst.set(second, found)
  return found
}
