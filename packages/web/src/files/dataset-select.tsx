import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../app/service'
import { Select } from '../components/select'
import { DATASETS } from './asked'

type Listed = RouteResponse<'listDatasets'>['datasets'][number]

const NONE_YET: readonly Listed[] = []

/** The registered data sets, newest first. */
export function useDatasets(): readonly Listed[] {
  return useQuery(read('listDatasets', DATASETS)).data?.datasets ?? NONE_YET
}

/** One of the registered data sets by its name, or none of them. Nothing is shown where there is none. */
export function DatasetSelect({
  label,
  none,
  datasets,
  chosen,
  onChoose,
}: {
  readonly label: string
  /** What it means to choose none. */
  readonly none: string
  readonly datasets: readonly Pick<Listed, 'dataset_id' | 'name'>[]
  /** An identifier; any other text is none of them. */
  readonly chosen: string
  readonly onChoose: (id: string) => void
}) {
  if (datasets.length === 0) return null
  return (
    <Select
      label={label}
      value={datasets.some(({ dataset_id }) => dataset_id === chosen) ? chosen : ''}
      onChange={onChoose}
      choices={[
        { value: '', label: none },
        ...datasets.map(({ dataset_id, name }) => ({ value: dataset_id, label: name })),
      ]}
    />
  )
}
