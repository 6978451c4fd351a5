import { queryClient, routeQuery } from '../../app/service'
import { DATASETS } from '../../files/queries'

/** Prefetches the initial dataset of a new training while the code of the page is loaded. */
export async function prefetchInitialDataset(named?: string): Promise<void> {
  const list = await queryClient.fetchQuery(routeQuery('listDatasets', DATASETS)).catch(() => undefined)
  const dataset_id = named ?? list?.datasets[0]?.dataset_id
  if (dataset_id !== undefined) await queryClient.prefetchQuery(routeQuery('getDataset', { dataset_id }))
}
