import type { Dataset } from '@medloom/contracts'
import { invalidate, queryClient } from '../../app/service'

/** Shows the response to a change immediately and refetches all data that depends on the roles. */
export function cacheDataset(edited: Dataset): void {
  queryClient.setQueryData(['getDataset', { dataset_id: edited.dataset_id }], edited)
  void invalidate('listDatasets', 'listCases', 'getDistribution', 'listThumbnails')
}
