import type { Dataset } from '@medloom/contracts'
import { queryClient, routeQuery } from '../../app/service'
import { DatasetSelect, useDatasets } from '../../files/dataset-select'
import { valueAt } from '../../forms/draft'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { tablesOf } from './apply-dataset'

/** Fills in the data section of a configuration from a registered dataset. Renders nothing if there are no datasets. */
export function DatasetChoice({
  config,
  onTake,
}: {
  readonly config: unknown
  readonly onTake: (dataset: Dataset) => void
}) {
  const t = useText(train)
  const datasets = useDatasets()
  const table = valueAt(config, ['data', 'train_csv'])
  const chosen = datasets.find(
    ({ path, splits }) => path === table || tablesOf(path, splits).train_csv === table,
  )
  return (
    <DatasetSelect
      label={t('dataset')}
      none={t('dataset.none')}
      datasets={datasets}
      chosen={chosen?.dataset_id ?? ''}
      onChoose={(id) => id !== '' && void datasetOf(id).then(onTake)}
    />
  )
}

/** Reads the complete record, because a list contains less. */
export function datasetOf(id: string): Promise<Dataset> {
  return queryClient.fetchQuery(routeQuery('getDataset', { dataset_id: id }))
}
