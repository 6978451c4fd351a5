import type { Dataset } from '@medloom/contracts'
import { usePages } from '../../app/pages'
import type { DatasetSearch } from './search'

const FIRST_PAGE = 120
const PAGE = 1000

/** What of the cases is chosen, as the interface names it. */
export function chosenCases({ split, class: name, patient, filter, order_by, order }: DatasetSearch) {
  return { split, class: name, patient, filter, order_by, order }
}

interface Told {
  readonly columns: readonly string[]
  readonly identifiers?: boolean
}

/** What is asked for a list of cases; its first page is small, so that it is there at once. */
export function casesInput(
  { dataset_id }: Pick<Dataset, 'dataset_id'>,
  search: DatasetSearch,
  { columns, identifiers = false }: Told,
) {
  return {
    dataset_id,
    ...chosenCases(search),
    ...(columns.length > 0 ? { columns: [...columns] } : {}),
    identifiers: identifiers ? ('true' as const) : undefined,
    page_size: FIRST_PAGE,
  }
}

/** Of a case whose image is shown, its class comes without being asked for; of the columns one is enough. */
export function columnsBesideImage({ columns }: Dataset): readonly string[] {
  return [columns[0]?.name ?? 'label']
}

/** The cases that are chosen, page by page. */
export function useCases(dataset: Dataset, search: DatasetSearch, told: Told) {
  return usePages('listCases', 'cases', casesInput(dataset, search, told), { furtherSize: PAGE })
}
