import type { Field } from './schema'

export type Row = Readonly<Record<string, unknown>>

/** Objects of a list: the written ones, otherwise those of the default, so that adding a row does not silently replace the default. */
export function rowsOf(field: Pick<Field, 'default'>, value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value as Row[]
  return Array.isArray(field.default) ? (field.default as Row[]) : []
}
