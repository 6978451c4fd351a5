import type { Dataset } from '@medloom/contracts'
import type { DatasetSearch } from './search'

/** Props of every view of a dataset: the dataset, the address parameters, and a function that changes them. */
export interface DatasetViewProps {
  readonly dataset: Dataset
  readonly search: DatasetSearch
  readonly onChange: (changes: Partial<DatasetSearch>) => void
}
