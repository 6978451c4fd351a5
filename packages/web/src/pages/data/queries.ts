import type { Dataset } from '@medloom/contracts'
import type { DatasetSearch } from './search'

/** Label column of a dataset with one folder per class, which has no table with column names. */
const FOLDER_LABEL = 'label'

/** Query for the number of cases per class and split. */
export function classesQuery({ dataset_id, columns }: Dataset) {
  const column = columns.find(({ role }) => role === 'label')?.name ?? FOLDER_LABEL
  return { dataset_id, column, top: 1 } as const
}

/** Column whose distribution is shown: the selected one, or the first input column. */
export function shownColumn({ columns }: Dataset, { column }: DatasetSearch): string | undefined {
  return column ?? columns.find(({ role }) => role === 'numeric' || role === 'categorical')?.name
}
