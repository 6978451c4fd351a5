import { firstPage } from '../../app/pages'
import { prefetch } from '../../app/service'
import { DATASETS } from '../../files/asked'
import type { WorkflowsSearch } from './search'

/** A page of the list of workflows. */
export const LISTED = { page_size: 100 } as const

/** The templates, and how they fit a data set where one is chosen. */
export function askedTemplates({ dataset }: WorkflowsSearch) {
  return dataset === undefined ? {} : { dataset_id: dataset }
}

/** Asks for what the page shows first, while its code is loaded. */
export function prefetchWorkflows(search: WorkflowsSearch): Promise<unknown> {
  return Promise.allSettled([
    firstPage('listWorkflows', LISTED),
    prefetch('listTemplates', askedTemplates(search)),
    prefetch('listDatasets', DATASETS),
  ])
}
