import { MedloomError } from '@medloom/client'
import type { ErrorIssue, TrainingCheck } from '@medloom/contracts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries, service } from '../../app/service'
import type { Draft } from '../../forms/document'

/** Pause in typing after which a check is requested. */
const PAUSE_MILLISECONDS = 400
/** Polling interval while the trainer reads large tables. */
const AGAIN_MILLISECONDS = 1_000

export interface Checked {
  /** Result for the latest checked text; null before the first response. */
  readonly check: TrainingCheck | null
  /** Reports whether the result matches the current text. */
  readonly isCurrent: boolean
  /** Reason for a missing result. */
  readonly error: Error | null
}

/** Check of the configuration while it is written. A new text cancels the request for the previous one. */
export function useCheck(draft: Draft): Checked {
  const settled = useSettled(draft)
  const { data, error, isPlaceholderData, isFetching } = useQuery({
    ...checkOf(settled),
    enabled: settled.error === null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.trainer.state === 'working' ? AGAIN_MILLISECONDS : false),
  })
  const isCurrent = settled.text === draft.text && !isPlaceholderData && !isFetching
  return { check: data ?? null, isCurrent, error }
}

/** Result for this text, requested now if it is unknown. */
export function checkNow(draft: Draft): Promise<TrainingCheck> {
  return queries.fetchQuery(checkOf(draft))
}

function checkOf({ text, value }: Draft) {
  return queryOptions<TrainingCheck>({
    queryKey: ['checkTraining', text],
    queryFn: ({ signal }) => service.checkTraining({ config: value }, { signal }),
    staleTime: 10_000,
    gcTime: 60_000,
  })
}

/** The draft after a pause in typing. */
export function useSettled(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), PAUSE_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [draft])
  return settled
}

/** Issues of a result or a refusal, with paths in the notation of the form. */
export function issuesOf(check: TrainingCheck | null, refusal: Error | null): readonly ErrorIssue[] {
  const given = [...(refusal instanceof MedloomError ? refusal.issues : []), ...(check?.issues ?? [])].map(
    (issue) => ({ ...issue, path: issue.path.replace(/^config\.?/, '') }),
  )
  const known = new Set<string>()
  return given.filter(({ path, code }) => {
    const key = `${path} ${code}`
    return !known.has(key) && known.add(key)
  })
}
