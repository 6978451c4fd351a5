import { fetchFirstPage } from '../../app/pages'
import { prefetch } from '../../app/service'
import { DATASETS } from '../../files/queries'
import type { WorkflowsSearch } from './search'

/** Page of the list of workflows. */
export const LISTED = { page_size: 100 } as const

/** Templates, with their compatibility with the selected dataset. */
export function templatesQuery({ dataset }: WorkflowsSearch) {
  return dataset === undefined ? {} : { dataset_id: dataset }
}

/** Prefetches the initial data of the page while its code is loaded. */
export function prefetchWorkflows(search: WorkflowsSearch): Promise<unknown> {
  return Promise.allSettled([
    fetchFirstPage('listWorkflows', LISTED),
    prefetch('listTemplates', templatesQuery(search)),
    prefetch('listDatasets', DATASETS),
  ])
}
