import type { Dataset } from '@medloom/contracts'
import type { DatasetSearch } from './search'

/** Everything that a view of a data set needs: what it is, what the address says, and how to change that. */
export interface DatasetViewProps {
  readonly dataset: Dataset
  readonly search: DatasetSearch
  readonly onChange: (changes: Partial<DatasetSearch>) => void
}
