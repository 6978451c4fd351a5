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
import { connection } from './connection'

/** Every call updates the connection state; a failed call does so at once and not after the last retry. */
const transport: Transport = async (request) => {
  const answered = connection.trackRequest()
  try {
    const response = await fetchTransport(request)
    // A refused login does not invalidate an existing session.
    if (!request.url.endsWith('/api/login')) answered(response.status)
    return response
  } catch (error) {
    if (!request.signal.aborted) connection.lost()
    else if (request.signal.reason?.name === 'TimeoutError') connection.probe()
    throw error
  }
}

/** Client for the service that served this page. */
export const service = new MedloomClient({ baseUrl: location.origin, transport })

/** The page waits for the service as long as it is open. */
export const STAYING = { reconnectTimeoutSeconds: Number.POSITIVE_INFINITY } as const

/** Cache of service responses. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A retry of a refused request is refused again. While the service is unreachable, queries do not fail: the page frame shows the state.
      retry: (attempts, error) => isTransient(error) && (attempts < 3 || connection.state() === 'lost'),
      retryDelay: backoff(500, 4_000),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Query of one route by name and input; live messages and changes refer to this key. */
export function read<N extends RouteName>(name: N, input: CallInput<N>): Read<RouteResponse<N>> {
  return untypedRead(name, input) as Read<RouteResponse<N>>
}

/** Prefetches data that a page is about to show. The page repeats a failed request and reports the error. */
export function prefetch<N extends RouteName>(name: N, input: CallInput<N>): Promise<void> {
  return queries.prefetchQuery(untypedRead(name, input as object))
}

interface Read<Response> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Response>
}

/** URL for the browser's own requests: an image, a report, a download. */
export function addressOf<N extends BytesRoute>(name: N, input: CallInput<N>): string {
  return composeRequest(name, input).path
}

/** Not typed by route: the union of all route types is too large for the compiler. */
function untypedRead(name: RouteName, input: object): Read<unknown> {
  return {
    queryKey: [name, input],
    queryFn: ({ signal }) => service.call(name, input as never, { signal }),
  }
}

/** One page of a list: the first, or the one that the token of an earlier page names. */
export function readPage(
  name: RouteName,
  input: object,
  page_token: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  return untypedRead(name, { ...input, page_token }).queryFn({ signal })
}

/** Marks all data of these routes as stale; it is read again when it is next shown. */
export function changed(...names: readonly RouteName[]): Promise<unknown> {
  return Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

function isTransient(error: Error): boolean {
  return error instanceof MedloomError && error.isTransient
}
