import { MedloomError } from '@medloom/client'
import type { ErrorIssue, TrainingCheck } from '@medloom/contracts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queryClient, service } from '../../app/service'
import {
  CHECK_CACHE_MILLISECONDS,
  CHECK_DEBOUNCE_MILLISECONDS,
  CHECK_POLL_MILLISECONDS,
  CHECK_STALE_MILLISECONDS,
} from '../../durations'
import type { Draft } from '../../forms/draft'

export interface CheckState {
  /** Result for the latest checked text; null before the first response. */
  readonly check: TrainingCheck | null
  /** Reports whether the result matches the current text. */
  readonly isCurrent: boolean
  /** Reason for a missing result. */
  readonly error: Error | null
}

/** Check of the configuration while it is written. A new text cancels the request for the previous one. */
export function useCheck(draft: Draft): CheckState {
  const settled = useDebouncedDraft(draft)
  const { data, error, isPlaceholderData, isFetching } = useQuery({
    ...checkOf(settled),
    enabled: settled.error === null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.trainer.state === 'working' ? CHECK_POLL_MILLISECONDS : false,
  })
  const isCurrent = settled.text === draft.text && !isPlaceholderData && !isFetching
  return { check: data ?? null, isCurrent, error }
}

/** Result for this text, requested now if it is unknown. */
export function checkNow(draft: Draft): Promise<TrainingCheck> {
  return queryClient.fetchQuery(checkOf(draft))
}

function checkOf({ text, value }: Draft) {
  return queryOptions<TrainingCheck>({
    queryKey: ['checkTraining', text],
    queryFn: ({ signal }) => service.checkTraining({ config: value }, { signal }),
    staleTime: CHECK_STALE_MILLISECONDS,
    gcTime: CHECK_CACHE_MILLISECONDS,
  })
}

/** The draft after a pause in typing. */
export function useDebouncedDraft(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), CHECK_DEBOUNCE_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [draft])
  return settled
}

/** Issues of a result or a refusal, with paths in the notation of the form. */
export function issuesOf(check: TrainingCheck | null, refusal: Error | null): readonly ErrorIssue[] {
  const issues = [...(refusal instanceof MedloomError ? refusal.issues : []), ...(check?.issues ?? [])].map(
    (issue) => ({ ...issue, path: issue.path.replace(/^config\.?/, '') }),
  )
  const seen = new Set<string>()
  return issues.filter(({ path, code }) => {
    const key = `${path} ${code}`
    return !seen.has(key) && seen.add(key)
  })
}
