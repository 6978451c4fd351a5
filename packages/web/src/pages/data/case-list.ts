import type { Dataset } from '@medloom/contracts'
import { usePages } from '../../app/pages'
import type { DatasetSearch } from './search'

const FIRST_PAGE = 120
const PAGE = 1000

/** What of the cases is chosen, as the interface names it. */
export function chosenCases({ split, class: name, patient, filter, order_by, order }: DatasetSearch) {
  return { split, class: name, patient, filter, order_by, order }
}

/** The cases that are chosen, page by page: the first one is small, so that it is there at once. */
export function useCases(
  dataset: Dataset,
  search: DatasetSearch,
  { columns, identifiers = false }: { readonly columns: readonly string[]; readonly identifiers?: boolean },
) {
  const input = {
    dataset_id: dataset.dataset_id,
    ...chosenCases(search),
    ...(columns.length > 0 ? { columns: [...columns] } : {}),
    identifiers: identifiers ? ('true' as const) : undefined,
    page_size: FIRST_PAGE,
  }
  return usePages('listCases', 'cases', input, { furtherSize: PAGE })
}
