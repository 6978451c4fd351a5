import type { Dataset } from '@medloom/contracts'
import { queries, read } from '../../app/service'
import { DatasetSelect, useDatasets } from '../../files/dataset-select'
import { valueAt } from '../../forms/document'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { tablesOf } from './with-dataset'

/** Fills the data section of a configuration in from a registered data set. Nothing is shown where there is none. */
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
  const chosen = datasets.find(({ path, splits }) => tablesOf(path, splits).train_csv === table)
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

/** The whole record: a list names less. */
export function datasetOf(id: string): Promise<Dataset> {
  return queries.fetchQuery(read('getDataset', { dataset_id: id }))
}
