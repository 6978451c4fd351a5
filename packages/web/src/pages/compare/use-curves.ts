import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRefresh } from '../../app/live'
import { read } from '../../app/service'
import type { Window } from '../../charts/curve-chart'

const BUCKETS = 600

/** The curves of trainings in a window. Whoever asks for the same ones shares the answer. */
export function useCurves(ids: readonly string[], window: Window | undefined) {
  const refetchInterval = useRefresh()
  return useQuery({
    ...read('listJobMetrics', { jobs: ids.join(','), lineage: 'true', buckets: BUCKETS, ...window }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}
