import type { CaseQuery, EvaluationCase } from '@medloom/contracts'
import {
  type CaseTable,
  groupsAt,
  numberAt,
  patientAt,
  placeOf,
  probabilitiesAt,
  type Words,
  wordAt,
} from './case-table.js'
import { decide } from './decisions.js'
import { sortedIndexes } from './order.js'

export interface FoundCases {
  readonly cases: EvaluationCase[]
  readonly total: number
}

type Test = (index: number) => boolean

/** The cases that a query selects, in its order, starting at `offset`. Cases without a value in the order column are last. */
export function findCases(table: CaseTable, query: CaseQuery, offset: number, size: number): FoundCases {
  const decisions = decide(table, query.threshold)
  const probability = table.probability.get(query.class ?? table.positiveClass ?? '') ?? null
  const tests: (Test | null)[] = [
    query.truth === undefined ? null : decisions.truthIs(query.truth),
    query.predicted === undefined ? null : decisions.predictedIs(query.predicted),
    query.correct === undefined ? null : isValue(decisions.correct, query.correct === 'true' ? 1 : 0),
    query.subgroup === undefined ? null : inGroup(table, query.subgroup),
    query.split === undefined ? null : isWord(table.split, query.split),
    query.missing_view === undefined ? null : lacksView(table, query.missing_view),
    within(decisions.confidence, query.confidence_min, query.confidence_max),
    within(probability, query.probability_min, query.probability_max),
  ]
  const applied = tests.filter((test) => test !== null)
  const keys = {
    row: table.place,
    confidence: decisions.confidence,
    probability,
    loss: table.loss,
    disagreement: table.disagreement,
    risk: table.risk,
  }[query.order_by]
  let total = 0
  const page: number[] = []
  // If a table lacks the values, the cases keep their order.
  for (const index of sortedIndexes(keys ?? table.place, keys !== null && query.order === 'desc')) {
    if (!applied.every((test) => test(index))) continue
    if (total >= offset && page.length < size) page.push(index)
    total++
  }
  const identifiers = query.identifiers === 'true'
  return { total, cases: page.map((index) => caseAt(table, decisions, index, identifiers)) }
}

function caseAt(
  table: CaseTable,
  decisions: ReturnType<typeof decide>,
  index: number,
  identifiers: boolean,
): EvaluationCase {
  const row = table.row[index] ?? 0
  const file = wordAt(table.file, index)
  const failure = table.failures.get(placeOf(file, row)) ?? null
  const correct = numberAt(decisions.correct, index)
  return {
    row,
    file: file || null,
    split: wordAt(table.split, index),
    truth: decisions.truthAt(index),
    predicted: decisions.predictedAt(index),
    correct: correct === null ? null : correct === 1,
    probabilities: probabilitiesAt(table, index),
    confidence: numberAt(decisions.confidence, index),
    risk: numberAt(table.risk, index),
    loss: numberAt(table.loss, index),
    disagreement: numberAt(table.disagreement, index),
    missing_views: table.missingViews ? viewsOf(wordAt(table.missingViews, index)) : null,
    groups: groupsAt(table, index),
    patient: identifiers ? patientAt(table, index) : null,
    failure,
    images: failure === null ? [] : [...(table.images[failure] ?? [])],
  }
}

/** NaN is in no range. Without the values, no case is. */
function within(values: Float64Array | null, low: number | undefined, high: number | undefined): Test | null {
  if (low === undefined && high === undefined) return null
  return (index) => {
    const value = values?.[index] ?? Number.NaN
    return value >= (low ?? -Infinity) && value <= (high ?? Infinity)
  }
}

function isValue(values: Float64Array | null, wanted: number): Test {
  return (index) => values?.[index] === wanted
}

function isWord(words: Words | undefined, wanted: string): Test {
  const code = words?.texts.indexOf(wanted) ?? -1
  return (index) => words?.code[index] === code
}

function inGroup(table: CaseTable, subgroup: string): Test {
  // The name of a column can contain "=", and so can a group.
  for (let index = subgroup.indexOf('='); index >= 0; index = subgroup.indexOf('=', index + 1)) {
    const words = table.groups.get(subgroup.slice(0, index))
    if (words) return isWord(words, subgroup.slice(index + 1))
  }
  return () => false
}

function lacksView({ missingViews }: CaseTable, view: string): Test {
  const codes = new Set(
    (missingViews?.texts ?? []).flatMap((text, code) => {
      const views = viewsOf(text)
      return (view === 'any' ? views.length > 0 : views.includes(Number(view))) ? [code] : []
    }),
  )
  return (index) => codes.has(missingViews?.code[index] ?? -1)
}

function viewsOf(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number)
}
