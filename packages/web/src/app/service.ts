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
import { QueryClient } from '@tanstack/react-query'
import { connection } from './connection'

/** Every call tells whether the service is there, the failed ones at once and not after the last repetition. */
const transport: Transport = async (request) => {
  const answered = connection.asks()
  try {
    const response = await fetchTransport(request)
    // A refused login says nothing about what one had before.
    if (!request.url.endsWith('/api/login')) answered(response.status)
    return response
  } catch (error) {
    if (!request.signal.aborted) connection.lost()
    else if (request.signal.reason?.name === 'TimeoutError') connection.doubt()
    throw error
  }
}

/** The service that served this page. */
export const service = new MedloomClient({ baseUrl: location.origin, transport })

/** Whoever looks at a page waits for the service as long as the page is open. */
export const STAYING = { reconnectTimeoutSeconds: Number.POSITIVE_INFINITY } as const

/** What the page knows of the service, kept while it is looked at. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the service refuses is not different the next time. While it is gone, nothing that is shown becomes an error: the frame says so.
      retry: (attempts, error) => isTransient(error) && (attempts < 3 || connection.state() === 'lost'),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4_000),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** A read of one route, by its name and input: the key that live messages and changes refer to. */
export function read<N extends RouteName>(name: N, input: CallInput<N>): Read<RouteResponse<N>> {
  return untypedRead(name, input) as Read<RouteResponse<N>>
}

/** Asks for what a page is about to show; what fails is asked for again, and told, by the page. */
export function prefetch<N extends RouteName>(name: N, input: CallInput<N>): Promise<void> {
  return queries.prefetchQuery(untypedRead(name, input as object))
}

interface Read<Response> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Response>
}

/** Where the browser itself gets a file: an image, a report, something to save. */
export function addressOf<N extends BytesRoute>(name: N, input: CallInput<N>): string {
  return composeRequest(name, input).path
}

/** Without the types of the routes: their union is too large for the compiler to spell out. */
function untypedRead(name: RouteName, input: object): Read<unknown> {
  return {
    queryKey: [name, input],
    queryFn: ({ signal }) => service.call(name, input as never, { signal }),
  }
}

/** One page of a list: the first, or the one that an earlier page names. */
export function readPage(
  name: RouteName,
  input: object,
  page_token: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  return untypedRead(name, { ...input, page_token }).queryFn({ signal })
}

/** Everything read from these routes is read again when it is looked at next. */
export function changed(...names: readonly RouteName[]): Promise<unknown> {
  return Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

function isTransient(error: Error): boolean {
  return error instanceof MedloomError && error.isTransient
}
