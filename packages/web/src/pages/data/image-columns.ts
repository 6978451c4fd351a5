import type { Dataset } from '@medloom/contracts'

/** Image columns in the order of their numbers; a dataset with one folder per class has one unnamed image column. */
export function imageColumnsOf({ columns, kind }: Pick<Dataset, 'columns' | 'kind'>): readonly string[] {
  const named = columns.filter(({ role }) => role === 'image').map(({ name }) => name)
  return named.length === 0 && columns.length === 0 && kind === 'image' ? ['image'] : named
}
