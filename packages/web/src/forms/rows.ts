import type { Field } from './schema'

export type Row = Readonly<Record<string, unknown>>

/** The objects of a list: those that are written, otherwise its default, so that a row that is added does not replace it unseen. */
export function rowsOf(field: Pick<Field, 'default'>, value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value as Row[]
  return Array.isArray(field.default) ? (field.default as Row[]) : []
}
