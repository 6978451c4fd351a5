import type { Dataset } from '@medloom/contracts'

/** The image columns in their order, which numbers them; a folder per class has one without a name of its own. */
export function imageColumnsOf({ columns, kind }: Pick<Dataset, 'columns' | 'kind'>): readonly string[] {
  const named = columns.filter(({ role }) => role === 'image').map(({ name }) => name)
  return named.length === 0 && columns.length === 0 && kind === 'image' ? ['image'] : named
}
