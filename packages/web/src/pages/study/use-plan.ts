import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import schema from '@medloom/contracts/study.schema.json'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { service } from '../../app/service'
import { isComplete } from '../../forms/complete'
import type { Draft } from '../../forms/document'
import type { Schema } from '../../forms/schema'
import { useSettled } from '../train/use-check'

/** Response of the service to a study draft: its planned trainings, or the reason for a refusal. */
interface Answer {
  readonly plan?: RouteResponse<'checkStudy'>
  readonly refusal?: MedloomError
}

/**
 * Plan of the study while it is written, requested once all required values are set or a start was tried. A refusal is a result too, and
 * remains until there is a new one.
 */
export function usePlan(draft: Draft, wasTried: boolean) {
  const settled = useSettled(draft)
  const isAsked =
    settled.error === null &&
    settled.text.trim() !== '' &&
    (wasTried || isComplete(schema as Schema, settled.value))
  const { data, error, isFetching } = useQuery<Answer>({
    queryKey: ['checkStudy', settled.text],
    queryFn: ({ signal }) => ask(settled, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 10_000,
    gcTime: 60_000,
  })
  const answer: Answer = isAsked && data ? data : {}
  return { plan: answer.plan, error: error ?? answer.refusal ?? null, isAsked, isChecking: isFetching }
}

async function ask({ value }: Draft, signal: AbortSignal): Promise<Answer> {
  try {
    return { plan: await service.checkStudy(value as never, { signal }) }
  } catch (error) {
    if (signal.aborted || !(error instanceof MedloomError)) throw error
    return { refusal: error }
  }
}
