import type { RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { read } from '../../app/service'

export type KnownModel = RouteResponse<'getModel'>
export type Listed = RouteResponse<'listModelEvaluations'>['evaluations'][number]

const route = getRouteApi('/models/$id')
const MOST = 1000

/** What was measured of a model, and the one that the address names: else the newest evaluation, else what the training measured. */
export function useEvaluations(model: KnownModel) {
  const { evaluation } = route.useSearch()
  const list = useQuery({
    ...read('listModelEvaluations', { model_id: model.model_id, page_size: MOST }),
    select: withDocuments,
  })
  const first = list.data?.evaluations[0]?.evaluation_id
  const id = evaluation ?? first ?? (list.data ? ownOf(model) : null)
  const document = useQuery({
    ...read('getEvaluation', { evaluation_id: id ?? '' }),
    enabled: id !== null,
    placeholderData: keepPreviousData,
  })
  // What is shown belongs to another evaluation until this one has come.
  const data = document.isPlaceholderData ? undefined : document.data
  return useMemo(
    () => ({ list, id, document: { ...document, data, isPending: data === undefined && !document.isError } }),
    [list, id, document, data],
  )
}

/** Those that can be opened. */
function withDocuments(list: RouteResponse<'listModelEvaluations'>) {
  return { ...list, evaluations: list.evaluations.filter(({ has_document }) => has_document) }
}

/** What a training measured of its own cases; null of an ensemble, which is made without a training. */
export function ownOf(model: Pick<KnownModel, 'job_id' | 'ensemble'>): string | null {
  return model.ensemble ? null : validationOf(model)
}

/** What a training measured of its own cases has the id of its job. */
export function validationOf({ job_id }: Pick<KnownModel, 'job_id'>): string {
  return `validation-${job_id}`
}
export function heldOutOf({ job_id }: Pick<KnownModel, 'job_id'>): string {
  return `held-out-${job_id}`
}
