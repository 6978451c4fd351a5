import { firstPage } from '../../app/pages'
import { queries, read } from '../../app/service'
import { casesInput, columnsBesideImage } from './case-list'
import type { DatasetSearch } from './search'
import { prefetchThumbnails } from './thumbnails'

/** Asks for what the page of a data set shows first, while its code is loaded. What fails is asked for, and told, by the page. */
export async function prefetchDataset(datasetId: string, search: DatasetSearch): Promise<void> {
  const dataset = await queries.fetchQuery(read('getDataset', { dataset_id: datasetId })).catch(() => null)
  if (!dataset || search.tab !== 'images') return
  const input = casesInput(dataset, search, { columns: columnsBesideImage(dataset) })
  const cases = (await firstPage('listCases', input).catch(() => undefined))?.cases ?? []
  prefetchThumbnails(datasetId, cases, search.image ?? 0)
}
