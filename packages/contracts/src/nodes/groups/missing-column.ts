import { listed, messageOf, phrase } from '../../phrases/index.js'
import { suggest } from '../../validation/suggest.js'
import type { InferredIssue } from '../inference.js'

/** Issue of a field that names a missing column; none if the columns are unknown. */
export function missingColumn(
  field: string,
  column: unknown,
  columns: readonly string[] | undefined,
): InferredIssue[] {
  if (typeof column !== 'string' || !columns || columns.includes(column)) return []
  return [
    {
      severity: 'error',
      code: 'COLUMN_NOT_FOUND',
      ...messageOf(phrase('dataset_lacks_column', { column })),
      field,
      ...suggest(column, columns, phrase('has_names', { names: listed(columns.slice(0, 20)) })),
    },
  ]
}
