import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { routeQuery, service } from '../../app/service'

export type Case = RouteResponse<'listEvaluationCases'>['cases'][number]
type Dataset = RouteResponse<'listDatasets'>['datasets'][number]

/** Source table of the cases. */
export interface TableSource {
  readonly result: { readonly source: { readonly csv: string } }
}
type CaseLocation = Pick<Case, 'file' | 'row'>

/** Image of a case. */
export interface CaseImage {
  readonly address: string
  readonly kind: 'image' | 'model' | 'saliency'
}

const MAX_DATASETS = 1000

/** Registered dataset of the table of an evaluation; null: not registered; undefined: unknown yet. */
export function useDatasetOfTable({ result }: TableSource): Dataset | null | undefined {
  const { data } = useQuery(routeQuery('listDatasets', { page_size: MAX_DATASETS }))
  if (!data) return undefined
  return data.datasets.find(({ path }) => path === result.source.csv) ?? null
}

/** Thumbnails of the cases in the current table, by row; two requests for all. */
export function useThumbnails(dataset: Dataset | null | undefined, cases: readonly CaseLocation[]) {
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
  cases: readonly CaseLocation[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const line = cases.map(({ row }) => row)
  const page = await service.listCases({ dataset_id, line, page_size: 1000 }, { signal })
  const keys = new Set(cases.map(caseKey))
  const matching = page.cases.filter(({ file, line }) => keys.has(`${file}:${line}`))
  const images = new Map<string, string>()
  if (matching.length === 0) return images
  const rows = matching.map(({ row }) => row)
  const { pictures } = await service.listThumbnails({ dataset_id, rows }, { signal })
  for (const [index, { file, line }] of matching.entries()) {
    const picture = pictures[index]?.picture
    if (picture) images.set(`${file}:${line}`, `data:${picture.media_type};base64,${picture.data}`)
  }
  return images
}

/** Location of a case in its table. */
export function caseKey({ file, row }: CaseLocation): string {
  return `${(file ?? '').split(/[/\\]/).at(-1)}:${row}`
}

/** Model input and saliency maps of a failure, as far as the evaluation has written them. */
export function failureImages(evaluationId: string, { failure, images }: Case): CaseImage[] {
  return images.flatMap(({ view, saliency }): CaseImage[] => {
    const address = `/api/evaluations/${encodeURIComponent(evaluationId)}/failure-image?failure=${failure}&view=${view}`
    const input = { address, kind: 'model' } as const
    return saliency ? [input, { address: `${address}&saliency=true`, kind: 'saliency' }] : [input]
  })
}
