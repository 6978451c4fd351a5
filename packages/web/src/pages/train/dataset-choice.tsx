import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queries, read } from '../../app/service'
import { DatasetSelect, useDatasets } from '../../files/dataset-select'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { currentSetup, isUntouched, setSetup, useSetup } from './draft-store'
import { tablesOf, withDataset } from './with-dataset'

const route = getRouteApi('/train')

/** Fills the data section in from a registered data set. Nothing is shown where there is none. */
export function DatasetChoice() {
  const t = useText(train)
  const { draft } = useSetup()
  useNamed(route.useSearch().dataset)
  const datasets = useDatasets()
  useNewest(datasets[0]?.dataset_id)
  const table = (draft.value.data as Record<string, unknown> | undefined)?.train_csv
  const chosen = datasets.find(({ path, splits }) => tablesOf(path, splits).train_csv === table)
  return (
    <DatasetSelect
      label={t('dataset')}
      none={t('dataset.none')}
      datasets={datasets}
      chosen={chosen?.dataset_id ?? ''}
      onChoose={(id) => void take(id)}
    />
  )
}

/** Begins with the data set that the address names, once per address. */
function useNamed(id: string | undefined): void {
  const navigate = route.useNavigate()
  useEffect(() => {
    if (id !== undefined) void take(id).then(() => navigate({ search: {}, replace: true }))
  }, [id, navigate])
}

/** The first opening begins with the newest data set, unless somebody was faster. What was emptied stays empty. */
function useNewest(id: string | undefined): void {
  const { from, dataset } = route.useSearch()
  const isNamed = from !== undefined || dataset !== undefined
  useEffect(() => {
    if (id !== undefined && !isNamed && isUntouched()) void take(id, isUntouched)
  }, [id, isNamed])
}

/** Fills in, where the condition still holds when the data set is known. */
async function take(id: string, holds: () => boolean = () => true): Promise<void> {
  if (id === '') return
  const dataset = await queries.fetchQuery(read('getDataset', { dataset_id: id }))
  if (!holds()) return
  const { name, draft } = currentSetup()
  setSetup({ name: name.trim() === '' ? dataset.name : name, draft: withDataset(draft, dataset) })
}
