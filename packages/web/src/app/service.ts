import {
  type BytesRoute,
  type CallInput,
  composeRequest,
  fetchTransport,
  MedloomClient,
  MedloomError,
  type Transport,
} from '@medloom/client'
import type { RouteName, RouteResponse } from '@medloom/contracts'
import { backoff } from '@medloom/contracts/plain'
import { QueryClient } from '@tanstack/react-query'
import { FIRST_RETRY_MILLISECONDS, LONGEST_RETRY_MILLISECONDS, STALE_MILLISECONDS } from '../durations'
import { connection } from './connection'

/** Every call updates the connection state; a failed call does so at once and not after the last retry. */
const transport: Transport = async (request) => {
  const reportStatus = connection.trackRequest()
  try {
    const response = await fetchTransport(request)
    // A refused login does not invalidate an existing session.
    if (!request.url.endsWith('/api/login')) reportStatus(response.status)
    return response
  } catch (error) {
    if (!request.signal.aborted) connection.recordLoss()
    else if (request.signal.reason?.name === 'TimeoutError') connection.probe()
    throw error
  }
}

/** Client for the service that served this page. */
export const service = new MedloomClient({ baseUrl: location.origin, transport })

/** The page waits for the service as long as it is open. */
export const RECONNECT_FOREVER = { reconnectTimeoutSeconds: Number.POSITIVE_INFINITY } as const

/** Cache of service responses. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MILLISECONDS,
      // A retry of a refused request is refused again. While the service is unreachable, queries do not fail: the page frame shows the state.
      retry: (attempts, error) => isTransient(error) && (attempts < 3 || connection.state() === 'lost'),
      retryDelay: backoff(FIRST_RETRY_MILLISECONDS, LONGEST_RETRY_MILLISECONDS),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Query of one route by name and input; live messages and changes refer to this key. */
export function routeQuery<N extends RouteName>(name: N, input: CallInput<N>): RouteQuery<RouteResponse<N>> {
  return untypedRouteQuery(name, input) as RouteQuery<RouteResponse<N>>
}

/** Prefetches data that a page is about to show. The page repeats a failed request and reports the error. */
export function prefetch<N extends RouteName>(name: N, input: CallInput<N>): Promise<void> {
  return queryClient.prefetchQuery(untypedRouteQuery(name, input as object))
}

interface RouteQuery<Response> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Response>
}

/** URL for the browser's own requests: an image, a report, a download. */
export function urlOf<N extends BytesRoute>(name: N, input: CallInput<N>): string {
  return composeRequest(name, input).path
}

/** Not typed by route: the union of all route types is too large for the compiler. */
function untypedRouteQuery(name: RouteName, input: object): RouteQuery<unknown> {
  return {
    queryKey: [name, input],
    queryFn: ({ signal }) => service.call(name, input as never, { signal }),
  }
}

/** One page of a list: the first, or the one that the token of an earlier page names. */
export function requestPage(
  name: RouteName,
  input: object,
  page_token: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  return untypedRouteQuery(name, { ...input, page_token }).queryFn({ signal })
}

/** Marks all data of these routes as stale; it is read again when it is next shown. */
export function invalidate(...names: readonly RouteName[]): Promise<unknown> {
  return Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}

function isTransient(error: Error): boolean {
  return error instanceof MedloomError && error.isTransient
}
