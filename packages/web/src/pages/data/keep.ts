import type { Dataset } from '@medloom/contracts'
import { changed, queries } from '../../app/service'

/** What a change has answered is shown at once; what depends on the roles is read again. */
export function keep(edited: Dataset): void {
  queries.setQueryData(['getDataset', { dataset_id: edited.dataset_id }], edited)
  void changed('listDatasets', 'listCases', 'getDistribution', 'listThumbnails')
}
