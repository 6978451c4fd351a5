import type { CallInput } from '@medloom/client'
import type { RouteName, RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useRefresh } from './live'
import { queries, readPage } from './service'

/** The field of an answer that holds the items of a page. */
type ListOf<Page> = { [K in keyof Page]-?: Page[K] extends readonly unknown[] ? K : never }[keyof Page]
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

interface PagesOptions {
  /** Of all pages but the first; without it they are as large as that. */
  readonly furtherSize?: number
  /** The service tells when the list changes; without a WebSocket it is asked for again. */
  readonly isLive?: boolean
  readonly staleTime?: number
}

/** A list of the service, page by page: what a choice showed before stays until the next is there. */
export function usePages<N extends RouteName, K extends ListOf<RouteResponse<N>>>(
  name: N,
  field: K,
  input: CallInput<N>,
  { furtherSize, isLive = false, staleTime }: PagesOptions = {},
) {
  const refresh = useRefresh()
  const query = useInfiniteQuery({
    ...pagesRead(name, input as object, furtherSize),
    placeholderData: keepPreviousData,
    refetchInterval: isLive && refresh,
    ...(staleTime === undefined ? {} : { staleTime }),
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const more = useCallback(() => {
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
  return { ...query, pages, first: pages[0], items, more }
}

/** The first page of a list that is about to be shown: `usePages` with the same input finds it, or waits for it. */
export async function firstPage<N extends RouteName>(
  name: N,
  input: CallInput<N>,
): Promise<RouteResponse<N> | undefined> {
  const found = await queries.fetchInfiniteQuery(pagesRead(name, input as object))
  return found.pages[0] as RouteResponse<N> | undefined
}

/** Without the types of the route, as in "untypedRead". */
function pagesRead(name: RouteName, input: object, furtherSize?: number) {
  const queryKey: readonly unknown[] = [name, 'pages', input]
  return {
    queryKey,
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
      const size = pageParam === undefined || furtherSize === undefined ? {} : { page_size: furtherSize }
      return readPage(name, { ...input, ...size }, pageParam, signal)
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: unknown) => nextOf(page),
  }
}

function nextOf(page: unknown): string | undefined {
  return (page as { next_page_token: string | null }).next_page_token ?? undefined
}
