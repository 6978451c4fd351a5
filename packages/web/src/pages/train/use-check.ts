import { MedloomError } from '@medloom/client'
import type { ErrorIssue, TrainingCheck } from '@medloom/contracts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries, service } from '../../app/service'
import type { Draft } from '../../forms/document'

/** A pause in typing that is worth a question. */
const PAUSE_MILLISECONDS = 400
/** While the trainer reads large tables. */
const AGAIN_MILLISECONDS = 1_000

export interface Checked {
  /** Of the newest text that was checked; null before the first answer. */
  readonly check: TrainingCheck | null
  /** Whether the answer is about what stands there now. */
  readonly isCurrent: boolean
  /** Why there is no answer. */
  readonly error: Error | null
}

/** What the service says of the configuration while it is written. A new text ends the question about the one before. */
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

/** The answer about this text, asked now where it is not known yet. */
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

/** What stands there once nobody has typed for a moment. */
export function useSettled(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), PAUSE_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [draft])
  return settled
}

/** Issues of an answer or of a refusal, with places as the form has them. */
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
