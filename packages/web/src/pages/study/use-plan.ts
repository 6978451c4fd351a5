import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import schema from '@medloom/contracts/study.schema.json'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { service } from '../../app/service'
import { CHECK_CACHE_MILLISECONDS, CHECK_STALE_MILLISECONDS } from '../../durations'
import { isComplete } from '../../forms/complete'
import type { Draft } from '../../forms/draft'
import type { Schema } from '../../forms/schema'
import { useDebouncedDraft } from '../train/use-check'

/** Response of the service to a study draft: its planned trainings, or the reason for a refusal. */
interface PlanResponse {
  readonly plan?: RouteResponse<'checkStudy'>
  readonly refusal?: MedloomError
}

/**
 * Plan of the study while it is written, requested once all required values are set or a start was tried. A refusal is a result too, and
 * remains until there is a new one.
 */
export function usePlan(draft: Draft, wasTried: boolean) {
  const settled = useDebouncedDraft(draft)
  const isRequested =
    settled.error === null &&
    settled.text.trim() !== '' &&
    (wasTried || isComplete(schema as Schema, settled.value))
  const { data, error, isFetching } = useQuery<PlanResponse>({
    queryKey: ['checkStudy', settled.text],
    queryFn: ({ signal }) => requestPlan(settled, signal),
    enabled: isRequested,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: CHECK_STALE_MILLISECONDS,
    gcTime: CHECK_CACHE_MILLISECONDS,
  })
  const response: PlanResponse = isRequested && data ? data : {}
  return {
    plan: response.plan,
    error: error ?? response.refusal ?? null,
    isAsked: isRequested,
    isChecking: isFetching,
  }
}

async function requestPlan({ value }: Draft, signal: AbortSignal): Promise<PlanResponse> {
  try {
    return { plan: await service.checkStudy(value as never, { signal }) }
  } catch (error) {
    if (signal.aborted || !(error instanceof MedloomError)) throw error
    return { refusal: error }
  }
}
