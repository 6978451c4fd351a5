import { type CaseTable, type Words, wordAt } from './case-table.js'

/** Truth and decision of each case, as words and as columns. */
export interface Decisions {
  truthAt(index: number): string
  predictedAt(index: number): string | null
  truthIs(wanted: string): (index: number) => boolean
  predictedIs(wanted: string): (index: number) => boolean
  /** 1, 0, or NaN; null if predictions have a distance from the truth instead of being right or wrong. */
  readonly correct: Float64Array | null
  /** Probability of the predicted class. */
  readonly confidence: Float64Array | null
}

/** Scores this close to a threshold reach it, as in the trainer (metrics/statistics/ties.py). */
const ROUNDING = 1e-12

/** Decisions as in the result, computed once per table. */
const ofResult = new WeakMap<CaseTable, Decisions>()

/** @param threshold of the positive class, replaces that of the result; has no effect unless there are two classes. */
export function decide(table: CaseTable, threshold: number | undefined): Decisions {
  if (threshold !== undefined) {
    const called = calledFrom(table, threshold)
    if (called) return ofClasses(table, called)
  }
  const known = ofResult.get(table) ?? decideAsResult(table)
  ofResult.set(table, known)
  return known
}

function decideAsResult(table: CaseTable): Decisions {
  if (table.labels.length > 0) return ofLabels(table)
  if (table.event) return ofSurvival(table.event)
  const { truth, predicted } = table
  if (!truth || !predicted)
    throw new Error('the column of the truth or of the prediction is missing in the prediction table')
  if (table.task === 'regression') return { ...inWords(truth, predicted), correct: null, confidence: null }
  return ofClasses(table, predicted)
}

function ofClasses(table: CaseTable, called: Words): Decisions {
  const { truth } = table
  if (!truth) throw new Error('the column of the truth is missing in the prediction table')
  return {
    ...inWords(truth, called),
    correct: agreement(truth, called),
    confidence: confidences(table, called),
  }
}

function inWords(truth: Words, predicted: Words) {
  return {
    truthAt: (index: number) => wordAt(truth, index),
    predictedAt: (index: number) => wordAt(predicted, index),
    truthIs: (wanted: string) => (index: number) => wordAt(truth, index) === wanted,
    predictedIs: (wanted: string) => (index: number) => wordAt(predicted, index) === wanted,
  }
}

/** Null unless there are two classes. */
function calledFrom({ classes, positiveClass, probability }: CaseTable, threshold: number): Words | null {
  const chances = positiveClass === null ? undefined : probability.get(positiveClass)
  if (!chances || classes.length !== 2) return null
  const positive = classes.indexOf(positiveClass ?? '')
  const limit = threshold * (1 - ROUNDING)
  return {
    texts: classes,
    code: Uint32Array.from(chances, (p) => (p >= limit ? positive : 1 - positive)),
  }
}

function agreement(truth: Words, predicted: Words): Float64Array {
  const asTruth = predicted.texts.map((text) => truth.texts.indexOf(text))
  return Float64Array.from(predicted.code, (code, index) => (asTruth[code] === truth.code[index] ? 1 : 0))
}

function confidences({ probability }: CaseTable, predicted: Words): Float64Array {
  const columns = predicted.texts.map((text) => probability.get(text))
  return Float64Array.from(predicted.code, (code, index) => columns[code]?.[index] ?? Number.NaN)
}

function ofLabels({ labels, classes, size }: CaseTable): Decisions {
  const named = (column: 'truth' | 'predicted', index: number) =>
    classes.filter((_, k) => labels[k]?.[column][index] === 1).join('; ')
  const has = (column: 'truth' | 'predicted', wanted: string) => {
    const values = labels[classes.indexOf(wanted)]?.[column]
    return (index: number) => values?.[index] === 1
  }
  const correct = new Float64Array(size)
  for (let index = 0; index < size; index++) {
    const known = labels.filter(({ truth }) => !Number.isNaN(truth[index]))
    const right = known.every(({ truth, predicted }) => truth[index] === predicted[index])
    correct[index] = known.length === 0 ? Number.NaN : right ? 1 : 0
  }
  return {
    truthAt: (index) => named('truth', index),
    predictedAt: (index) => named('predicted', index),
    truthIs: (wanted) => has('truth', wanted),
    predictedIs: (wanted) => has('predicted', wanted),
    correct,
    confidence: null,
  }
}

function ofSurvival({ time, happened }: NonNullable<CaseTable['event']>): Decisions {
  const truthAt = (index: number) =>
    happened[index] === 1 ? `event at ${time[index]}` : `no event until ${time[index]}`
  const occurred = (wanted: string) => (index: number) =>
    wanted === (happened[index] === 1 ? 'event' : 'no event')
  return {
    truthAt,
    predictedAt: () => null,
    truthIs: occurred,
    predictedIs: () => () => false,
    correct: null,
    confidence: null,
  }
}
