import type { Dataset } from '@medloom/contracts'
import type { DatasetSearch } from './search'

/** Of the columns that a folder per class has; it has no table that would name them. */
const FOLDER_LABEL = 'label'

/** How many cases of each class there are, in each split. */
export function askedClasses({ dataset_id, columns }: Dataset) {
  const column = columns.find(({ role }) => role === 'label')?.name ?? FOLDER_LABEL
  return { dataset_id, column, top: 1 } as const
}

/** The column whose distribution is shown: the one that was chosen, or the first that is read. */
export function shownColumn({ columns }: Dataset, { column }: DatasetSearch): string | undefined {
  return column ?? columns.find(({ role }) => role === 'numeric' || role === 'categorical')?.name
}
