import type { CallInput } from '@medloom/client'
import type { RouteName, RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useRefresh } from './live'
import { queryClient, requestPage } from './service'

/** Name of the response field that holds the items of a page. */
type ListOf<Page> = { [K in keyof Page]-?: Page[K] extends readonly unknown[] ? K : never }[keyof Page]
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

interface PagesOptions {
  /** Page size of all pages after the first; by default that of the first. */
  readonly furtherSize?: number
  /** The service notifies of changes to the list; without a WebSocket the list is polled. */
  readonly isLive?: boolean
  readonly staleTime?: number
}

/** A paged list of the service. The previous selection stays visible until the next one is loaded. */
export function usePages<N extends RouteName, K extends ListOf<RouteResponse<N>>>(
  name: N,
  field: K,
  input: CallInput<N>,
  { furtherSize, isLive = false, staleTime }: PagesOptions = {},
) {
  const refresh = useRefresh()
  const query = useInfiniteQuery({
    ...pagesQuery(name, input as object, furtherSize),
    placeholderData: keepPreviousData,
    refetchInterval: isLive && refresh,
    ...(staleTime === undefined ? {} : { staleTime }),
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const pages = useMemo(
    () => (data?.pages ?? []) as readonly unknown[] as readonly RouteResponse<N>[],
    [data],
  )
  const items = useMemo(
    () => pages.flatMap((page) => page[field] as readonly ItemOf<RouteResponse<N>[K]>[]),
    [pages, field],
  )
  return { ...query, pages, first: pages[0], items, more: loadMore }
}

/** Prefetches the first page of a list; `usePages` with the same input finds it or waits for it. */
export async function fetchFirstPage<N extends RouteName>(
  name: N,
  input: CallInput<N>,
): Promise<RouteResponse<N> | undefined> {
  const data = await queryClient.fetchInfiniteQuery(pagesQuery(name, input as object))
  return data.pages[0] as RouteResponse<N> | undefined
}

/** Not typed by route, for the same reason as `untypedRouteQuery`. */
function pagesQuery(name: RouteName, input: object, furtherSize?: number) {
  const queryKey: readonly unknown[] = [name, 'pages', input]
  return {
    queryKey,
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
      const size = pageParam === undefined || furtherSize === undefined ? {} : { page_size: furtherSize }
      return requestPage(name, { ...input, ...size }, pageParam, signal)
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: unknown) => nextPageToken(page),
  }
}

function nextPageToken(page: unknown): string | undefined {
  return (page as { next_page_token: string | null }).next_page_token ?? undefined
}
