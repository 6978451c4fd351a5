import { nearest } from '../../validation/nearest.js'
import type { InferredIssue } from '../inference.js'

/** The issue of a field that names a column which the data are known not to have; none where their columns are not known. */
export function missingColumn(
  field: string,
  column: unknown,
  columns: readonly string[] | undefined,
): InferredIssue[] {
  if (typeof column !== 'string' || !columns || columns.includes(column)) return []
  const guess = nearest(column, columns)
  return [
    {
      severity: 'error',
      code: 'COLUMN_NOT_FOUND',
      message: `the data set has no column "${column}"`,
      field,
      hint: guess ? `Did you mean "${guess}"?` : `It has ${columns.slice(0, 20).join(', ')}.`,
    },
  ]
}
