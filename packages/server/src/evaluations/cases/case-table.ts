import type { EvaluationResult, FailureImages } from '@medloom/contracts'
import { csvRows } from './csv-rows.js'

/** Fields of evaluation.json that a query reads; older files may lack some of them. A comparison.json has no failures. */
export type TableSource = Pick<EvaluationResult, 'task' | 'classes' | 'positive_class' | 'predictions'> &
  Partial<Pick<EvaluationResult, 'failures' | 'source' | 'split'>>

/** The cases of an evaluation, N of them, by column. Numbers are NaN where unknown. */
export interface CaseTable {
  readonly size: number
  readonly task: TableSource['task']
  readonly classes: readonly string[]
  readonly positiveClass: string | null
  /** 0 to N - 1. */
  readonly place: Float64Array
  readonly row: Float64Array
  readonly file: Words
  readonly split: Words
  readonly patient: Words | null
  /** Classes and numbers; null if the truth is more than one word. */
  readonly truth: Words | null
  readonly predicted: Words | null
  /** Several labels, in the order of `classes`: 1, 0, or NaN. */
  readonly labels: readonly { readonly truth: Float64Array; readonly predicted: Float64Array }[]
  readonly event: { readonly time: Float64Array; readonly happened: Float64Array } | null
  readonly risk: Float64Array | null
  readonly probability: ReadonlyMap<string, Float64Array>
  readonly loss: Float64Array | null
  readonly disagreement: Float64Array | null
  readonly missingViews: Words | null
  readonly groups: ReadonlyMap<string, Words>
  /** `file` and line → index among the failures. */
  readonly failures: ReadonlyMap<string, number>
  /** Images of each of the first failures. */
  readonly images: readonly (readonly { readonly view: number; readonly saliency: boolean }[])[]
}

/** A column with few distinct texts: for each case, the index of its text in `texts`. */
export interface Words {
  readonly texts: readonly string[]
  readonly code: Uint32Array
}

/**
 * @param csv predictions.csv
 * @param model of a comparison, whose name is the prefix of its columns; null: an evaluation
 * @throws Error when the trainer did not write it in this format.
 */
export function readCaseTable(
  csv: string,
  source: TableSource,
  images: FailureImages | null,
  model: string | null = null,
): CaseTable {
  const columns = readColumns(csv, model === null ? '' : `${model}: `)
  const numbers = (name: string) => columns.get(name)?.map(numberOf) as readonly number[] | undefined
  const array = (name: string) => toArray(numbers(name))
  const words = (name: string) => toWords(columns.get(name))
  const row = array('row')
  // Version 0.1.0 wrote neither column: its tables came from one file and one split.
  const file = words('file') ?? everywhere(source.source?.csv, row)
  const split = words('split') ?? everywhere(source.split, row)
  if (!row || !file || !split) throw new Error('the first columns of the prediction table are missing')
  const classes = source.task === 'regression' ? [] : (source.classes ?? [])
  const named = (prefix: string) => classes.map((name) => array(`${prefix}_${name}`))
  const time = array('truth_time')
  const happened = array('truth_event')
  return {
    size: row.length,
    place: row.map((_, place) => place),
    task: source.task,
    classes,
    positiveClass: source.positive_class,
    row,
    file,
    split,
    patient: words('patient'),
    truth: words('truth'),
    predicted: words('predicted'),
    labels:
      source.task === 'multilabel'
        ? pairs(named('truth').map(required), named('predicted').map(required))
        : [],
    event: time && happened ? { time, happened } : null,
    risk: array('risk'),
    probability: new Map(
      classes.flatMap((name) => {
        const values = array(`probability_${name}`)
        return values ? [[name, values] as const] : []
      }),
    ),
    loss: array('loss'),
    disagreement:
      array('mutual_information') ?? array('member_sd') ?? mean(named('mutual_information').filter(isThere)),
    missingViews: words('missing_views'),
    groups: new Map(
      [...columns.keys()].flatMap((name) => {
        const found = name.startsWith('group_') ? words(name) : null
        return found ? [[name.slice('group_'.length), found] as const] : []
      }),
    ),
    failures: new Map(
      (source.failures ?? []).map((failure, place) => [placeOf(failure.file ?? '', failure.row), place]),
    ),
    images: (images?.cases ?? []).map((views) =>
      views.map(({ view, saliency }) => ({ view, saliency: saliency !== undefined })),
    ),
  }
}

/** Identifies a case: its file and its line in that file. */
export function placeOf(file: string, row: number): string {
  return `${row} ${file}`
}

export function wordAt({ texts, code }: Words, index: number): string {
  return texts[code[index] ?? 0] ?? ''
}

/** Null if it is not known. */
export function numberAt(values: Float64Array | null, index: number): number | null {
  const value = values?.[index] ?? Number.NaN
  return Number.isNaN(value) ? null : value
}

export function probabilitiesAt({ probability }: CaseTable, index: number): Record<string, number> {
  return Object.fromEntries([...probability].map(([name, values]) => [name, values[index] ?? 0]))
}

export function groupsAt({ groups }: CaseTable, index: number): Record<string, string> {
  return Object.fromEntries([...groups].map(([column, words]) => [column, wordAt(words, index)]))
}

export function patientAt({ patient }: CaseTable, index: number): string | null {
  return patient ? wordAt(patient, index) || null : null
}

/** @param prefix removed from the names of columns */
function readColumns(csv: string, prefix: string): Map<string, string[]> {
  const rows = csvRows(csv)
  const header = rows.next().value ?? []
  const columns = header.map((): string[] => [])
  for (const cells of rows)
    for (let index = 0; index < columns.length; index++) columns[index]?.push(cells[index] ?? '')
  return new Map(
    header.map((name, index) => [
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      columns[index] ?? [],
    ]),
  )
}

function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}

function toArray(values: readonly number[] | undefined): Float64Array | null {
  return values ? Float64Array.from(values) : null
}

function toWords(cells: readonly string[] | undefined): Words | null {
  if (!cells) return null
  const codes = new Map<string, number>()
  const code = new Uint32Array(cells.length)
  for (const [index, cell] of cells.entries()) {
    const known = codes.get(cell) ?? codes.size
    codes.set(cell, known)
    code[index] = known
  }
  return { texts: [...codes.keys()], code }
}

function everywhere(text: string | undefined, column: Float64Array | null): Words | null {
  return text === undefined || !column ? null : toWords([...column].map(() => text))
}

function pairs(truth: readonly Float64Array[], predicted: readonly Float64Array[]) {
  return truth.map((column, k) => ({ truth: column, predicted: required(predicted[k]) }))
}

function required(column: Float64Array | null | undefined): Float64Array {
  if (!column) throw new Error('a label column of the prediction table is missing')
  return column
}

function isThere(column: Float64Array | null): column is Float64Array {
  return column !== null
}

function mean(columns: readonly Float64Array[]): Float64Array | null {
  const [first] = columns
  if (!first) return null
  return first.map(
    (_, index) => columns.reduce((sum, column) => sum + (column[index] ?? 0), 0) / columns.length,
  )
}
