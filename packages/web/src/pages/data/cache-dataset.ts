import type { Dataset } from '@medloom/contracts'
import { changed, queries } from '../../app/service'

/** Shows the response to a change immediately and refetches all data that depends on the roles. */
export function cacheDataset(edited: Dataset): void {
  queries.setQueryData(['getDataset', { dataset_id: edited.dataset_id }], edited)
  void changed('listDatasets', 'listCases', 'getDistribution', 'listThumbnails')
}
