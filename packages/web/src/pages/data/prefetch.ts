import type { Dataset } from '@medloom/contracts'
import { fetchFirstPage } from '../../app/pages'
import { prefetch, queryClient, routeQuery } from '../../app/service'
import { captionColumns, casesInput } from './case-list'
import { classesQuery, shownColumn } from './queries'
import type { DatasetSearch } from './search'
import { prefetchThumbnails } from './thumbnails'

/** Prefetches the initial data of a dataset's page while its code is loaded. The page repeats failed requests and reports the errors. */
export async function prefetchDataset(datasetId: string, search: DatasetSearch): Promise<void> {
  const dataset = await queryClient
    .fetchQuery(routeQuery('getDataset', { dataset_id: datasetId }))
    .catch(() => null)
  if (!dataset) return
  if (search.tab === undefined || search.tab === 'overview') await prefetchOverview(dataset, search)
  if (search.tab !== 'images') return
  const input = casesInput(dataset, search, { columns: captionColumns(dataset) })
  const cases = (await fetchFirstPage('listCases', input).catch(() => undefined))?.cases ?? []
  prefetchThumbnails(datasetId, cases, search.image ?? 0)
}

async function prefetchOverview(dataset: Dataset, search: DatasetSearch): Promise<void> {
  const column = shownColumn(dataset, search)
  const { dataset_id, task } = dataset
  await Promise.all([
    task === 'classification' && prefetch('getDistribution', classesQuery(dataset)),
    column !== undefined && prefetch('getDistribution', { dataset_id, column }),
  ])
}
