import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../app/service'
import { Select } from '../components/select'
import { DATASETS } from './queries'

type Listed = RouteResponse<'listDatasets'>['datasets'][number]

const NONE_YET: readonly Listed[] = []

/** Registered datasets, newest first. */
export function useDatasets(): readonly Listed[] {
  return useQuery(routeQuery('listDatasets', DATASETS)).data?.datasets ?? NONE_YET
}

/** Selection of a registered dataset by name, or of none. Renders nothing if there are no datasets. */
export function DatasetSelect({
  label,
  none,
  datasets,
  chosen,
  onChoose,
}: {
  readonly label: string
  /** Label of the option to select none. */
  readonly none: string
  readonly datasets: readonly Pick<Listed, 'dataset_id' | 'name'>[]
  /** An identifier; any other text means none. */
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
