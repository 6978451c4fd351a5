import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRefresh } from '../../app/live'
import { read } from '../../app/service'
import type { Window } from '../../charts/curve-chart'
import { askedCurves } from './asked'

/** The curves of trainings in a window. Whoever asks for the same ones shares the answer. */
export function useCurves(ids: readonly string[], window: Window | undefined) {
  const refetchInterval = useRefresh()
  return useQuery({
    ...read('listJobMetrics', askedCurves(ids, window)),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}
