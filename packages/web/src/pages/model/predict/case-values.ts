import type { RouteResponse } from '@medloom/contracts'
import { numberOf } from './entered-number'

export type Inputs = RouteResponse<'getModelInputs'>
export type InputColumn = Inputs['columns'][number]
/** Column → what the reader entered; absent or empty: not known. */
export type Values = Readonly<Record<string, string>>

/** More categories than this are searched by typing. */
const MAX_CHOICES = 30

export type Notice = 'below' | 'above' | 'notNumber' | 'ambiguous' | 'otherCategory'

/** The unusual property of an entered value, or null. It never prevents a prediction: the service judges the value again. */
export function noticeOf(column: InputColumn, entered: string): Notice | null {
  const { range, kind, categories } = column
  const text = entered.trim()
  if (text === '') return null
  if (kind === 'categorical') return categories?.includes(text) === false ? 'otherCategory' : null
  const value = numberOf(text, column)
  if (typeof value === 'string') return value
  if (range === null) return null
  if (value < range.low) return 'below'
  return value > range.high ? 'above' : null
}

/** A list is complete and short enough to choose from; otherwise other categories can be typed. */
export function isChosen({ categories, more_categories }: InputColumn): boolean {
  return categories !== null && categories.length > 0 && categories.length <= MAX_CHOICES && !more_categories
}

/** The case of a request. Every column of the model is named, so that a missing value is reported for each. */
export function caseOf(
  { columns, images }: Inputs,
  values: Values,
  uploads: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const cells = columns.map(({ name }) => [name, values[name]?.trim() || null] as const)
  const paths = images.columns.map((column) => {
    const id = uploads[column]
    return [column, id === undefined ? null : `upload:${id}`] as const
  })
  return Object.fromEntries([...cells, ...paths])
}

/** Column → file of files that are dropped on a column: the first is for it, the others for the empty columns in their order. */
export function placeFiles<F>(
  columns: readonly string[],
  filled: readonly string[],
  target: string,
  files: readonly F[],
): [string, F][] {
  const empty = columns.filter((column) => column !== target && !filled.includes(column))
  return [target, ...empty].flatMap((column, index): [string, F][] => {
    const file = files[index]
    return file === undefined ? [] : [[column, file]]
  })
}

/** A name at the service that contains nothing of the file's own name, which may identify a patient. */
export function uploadName(fileName: string): string {
  const [, ending = ''] = /(\.nii\.gz|\.[a-z0-9]{1,8})$/i.exec(fileName) ?? []
  return `image${ending.toLowerCase()}`
}
