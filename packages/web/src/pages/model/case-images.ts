import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { read, service } from '../../app/service'

export type Case = RouteResponse<'listEvaluationCases'>['cases'][number]
type Dataset = RouteResponse<'listDatasets'>['datasets'][number]

/** Source table of the cases. */
export interface OfTable {
  readonly result: { readonly source: { readonly csv: string } }
}
type Place = Pick<Case, 'file' | 'row'>

/** Image of a case. */
export interface CaseImage {
  readonly address: string
  readonly kind: 'image' | 'model' | 'saliency'
}

const MOST_DATASETS = 1000

/** Registered dataset of the table of an evaluation; null: not registered; undefined: unknown yet. */
export function useDatasetOf({ result }: OfTable): Dataset | null | undefined {
  const { data } = useQuery(read('listDatasets', { page_size: MOST_DATASETS }))
  if (!data) return undefined
  return data.datasets.find(({ path }) => path === result.source.csv) ?? null
}

/** Thumbnails of the cases in the current table, by row; two requests for all. */
export function useThumbnails(dataset: Dataset | null | undefined, cases: readonly Place[]) {
  const lines = cases.map(({ row }) => row)
  return useQuery({
    queryKey: ['listThumbnails', 'of lines', dataset?.dataset_id, lines],
    queryFn: ({ signal }) => thumbnails(dataset as Dataset, cases, signal),
    enabled: !!dataset && dataset.kind !== 'tabular' && lines.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function thumbnails(
  { dataset_id }: Dataset,
  cases: readonly Place[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const line = cases.map(({ row }) => row)
  const found = await service.listCases({ dataset_id, line, page_size: 1000 }, { signal })
  const wanted = new Set(cases.map(placeOf))
  const placed = found.cases.filter(({ file, line }) => wanted.has(`${file}:${line}`))
  const images = new Map<string, string>()
  if (placed.length === 0) return images
  const rows = placed.map(({ row }) => row)
  const { pictures } = await service.listThumbnails({ dataset_id, rows }, { signal })
  for (const [index, { file, line }] of placed.entries()) {
    const picture = pictures[index]?.picture
    if (picture) images.set(`${file}:${line}`, `data:${picture.media_type};base64,${picture.data}`)
  }
  return images
}

/** Location of a case in its table. */
export function placeOf({ file, row }: Place): string {
  return `${(file ?? '').split(/[/\\]/).at(-1)}:${row}`
}

/** Model input and saliency maps of a failure, as far as the evaluation has written them. */
export function failureImages(evaluationId: string, { failure, images }: Case): CaseImage[] {
  return images.flatMap(({ view, saliency }): CaseImage[] => {
    const address = `/api/evaluations/${encodeURIComponent(evaluationId)}/failure-image?failure=${failure}&view=${view}`
    const seen = { address, kind: 'model' } as const
    return saliency ? [seen, { address: `${address}&saliency=true`, kind: 'saliency' }] : [seen]
  })
}
