import type { Dataset } from '@medloom/contracts'
import { usePages } from '../../app/pages'
import type { DatasetSearch } from './search'

const FIRST_PAGE = 120
const PAGE = 1000

/** Selection of cases in the terms of the API. */
export function caseFilter({ split, class: name, patient, filter, order_by, order }: DatasetSearch) {
  return { split, class: name, patient, filter, order_by, order }
}

interface CaseColumns {
  readonly columns: readonly string[]
  readonly identifiers?: boolean
}

/** Query for a list of cases; the first page is small, so that it appears quickly. */
export function casesInput(
  { dataset_id }: Pick<Dataset, 'dataset_id'>,
  search: DatasetSearch,
  { columns, identifiers = false }: CaseColumns,
) {
  return {
    dataset_id,
    ...caseFilter(search),
    ...(columns.length > 0 ? { columns: [...columns] } : {}),
    identifiers: identifiers ? ('true' as const) : undefined,
    page_size: FIRST_PAGE,
  }
}

/** The service returns the class of a case in any case, so next to its image one column is enough. */
export function captionColumns({ columns }: Dataset): readonly string[] {
  return [columns[0]?.name ?? 'label']
}

/** The selected cases, in pages. */
export function useCases(dataset: Dataset, search: DatasetSearch, columns: CaseColumns) {
  return usePages('listCases', 'cases', casesInput(dataset, search, columns), { furtherSize: PAGE })
}
