import { ROUTES, type RouteDeclaration } from '@medloom/contracts'

export interface RoutedRequest {
  readonly query?: unknown
  readonly params?: unknown
  readonly routeOptions?: { readonly config: { readonly operation?: string } }
}

const routes: Readonly<Record<string, RouteDeclaration>> = ROUTES

/** Returns true if the response to a request contains values that identify patients, as its route declares. */
export function readsIdentifiers({ query, params, routeOptions }: RoutedRequest): boolean {
  const identifies = routes[routeOptions?.config.operation ?? '']?.identifiers
  const { '*': path = '' } = (params ?? {}) as Readonly<Record<string, string>>
  return identifies?.({ query: (query ?? {}) as Readonly<Record<string, unknown>>, path }) ?? false
}
