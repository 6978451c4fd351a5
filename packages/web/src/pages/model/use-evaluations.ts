import type { RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { routeQuery } from '../../app/service'

export type Model = RouteResponse<'getModel'>
export type ListedEvaluation = RouteResponse<'listModelEvaluations'>['evaluations'][number]

const route = getRouteApi('/models/$id')
const MAX_EVALUATIONS = 1000

/** Evaluations of a model and the one that the address names; otherwise the latest one, otherwise the evaluation of the training. */
export function useEvaluations(model: Model) {
  const { evaluation } = route.useSearch()
  const list = useQuery({
    ...routeQuery('listModelEvaluations', { model_id: model.model_id, page_size: MAX_EVALUATIONS }),
    select: withDocuments,
  })
  const first = list.data?.evaluations[0]?.evaluation_id
  const id = evaluation ?? first ?? (list.data ? ownEvaluationId(model) : null)
  const document = useQuery({
    ...routeQuery('getEvaluation', { evaluation_id: id ?? '' }),
    enabled: id !== null,
    placeholderData: keepPreviousData,
  })
  // The placeholder belongs to another evaluation.
  const data = document.isPlaceholderData ? undefined : document.data
  return useMemo(
    () => ({ list, id, document: { ...document, data, isPending: data === undefined && !document.isError } }),
    [list, id, document, data],
  )
}

/** Evaluations that can be opened. */
function withDocuments(list: RouteResponse<'listModelEvaluations'>) {
  return { ...list, evaluations: list.evaluations.filter(({ has_document }) => has_document) }
}

/** Evaluation of the training on its own cases; null for an ensemble, which has no training. */
export function ownEvaluationId(model: Pick<Model, 'job_id' | 'ensemble'>): string | null {
  return model.ensemble ? null : validationEvaluationId(model)
}

/** The evaluation of a training on its own cases has the id of its job. */
export function validationEvaluationId({ job_id }: Pick<Model, 'job_id'>): string {
  return `validation-${job_id}`
}
export function heldOutEvaluationId({ job_id }: Pick<Model, 'job_id'>): string {
  return `held-out-${job_id}`
}
