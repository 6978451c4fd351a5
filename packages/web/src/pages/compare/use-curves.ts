import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRefresh } from '../../app/live'
import { routeQuery } from '../../app/service'
import type { Window } from '../../charts/axis-range'
import { curvesQuery } from './queries'

/** Curves of trainings in a window. Components with the same query share the response. */
export function useCurves(ids: readonly string[], window: Window | undefined) {
  const refetchInterval = useRefresh()
  return useQuery({
    ...routeQuery('listJobMetrics', curvesQuery(ids, window)),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}
