import type { RouteInput, RouteName, Routes } from '@medloom/contracts'
import { fillPath } from '@medloom/contracts/plain'
import { type PlainRoute, ROUTES } from './routes.js'

/** Input of a call: the fields of path, query and body on one level; binary content as `content`. */
export type CallInput<N extends RouteName> = N extends RouteName ? InputOf<N> : never

/** Distributed over the routes (above): intersecting the parts of all routes at once exceeds the compiler's limits. */
type InputOf<N extends RouteName> = RouteInput<N>['params'] &
  RouteInput<N>['query'] &
  RouteInput<N>['body'] &
  (Routes[N] extends { takes: string } ? { readonly content: Uint8Array<ArrayBuffer> } : Record<never, never>)

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutSeconds?: number
  /** For routes that support it: the same key with the same request returns the stored response instead of repeating the effect. */
  readonly idempotencyKey?: string
  /**
   * With a key, seconds in which the request is repeated while the database or the controller of the service is unavailable, or after a broken
   * connection: the request may have been carried out, and then returns the stored response. Default 60. Without a key, and for other routes,
   * nothing is sent twice.
   */
  readonly retrySeconds?: number
}

/** Names of the routes with a binary response. */
export type BytesRoute = {
  [N in RouteName]: Routes[N] extends { readonly gives: readonly string[] } ? N : never
}[RouteName]

/** A file download. */
export interface Download {
  /** Null: unknown. */
  readonly sizeBytes: number | null
  /** Must be read to the end, or left with `break`. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** The input may be omitted if no field is required. */
export type CallArguments<N extends RouteName> =
  Record<never, never> extends CallInput<N>
    ? [input?: CallInput<N>, options?: CallOptions]
    : [input: CallInput<N>, options?: CallOptions]

/** Response timeouts in seconds of routes that wait for work to end, for which the default is too short. */
export const SLOW_ROUTES: Partial<Record<RouteName, number>> = {
  stopJob: 120,
  startStudy: 3600,
  checkStudy: 3600,
  stopStudy: 600,
  reportStudy: 600,
  reportEvaluation: 600,
  exportModel: 24 * 3600,
  evaluateModel: 24 * 3600,
  compareModels: 24 * 3600,
  predictCases: 24 * 3600,
  getModelInputs: 3600,
  getFollowUp: 3600,
  addOutcomes: 3600,
  evaluateFollowUp: 24 * 3600,
  inspectDataset: 3600,
  proposeRecipe: 3600,
  registerDataset: 3600,
  editDataset: 3600,
  findLeaks: 24 * 3600,
  makeExample: 600,
  listCases: 3600,
  getDistribution: 3600,
  listThumbnails: 3600,
  previewCases: 3600,
  getImage: 3600,
  getImageInfo: 3600,
  previewUpload: 3600,
  finishUpload: 3600,
  executeWorkflow: 3600,
  planWorkflow: 3600,
  previewNode: 3600,
}

/** Path with query, and JSON body, of a call. Unknown fields are sent in the body, where the service reports them. */
export function composeRequest(name: RouteName, input: Readonly<Record<string, unknown>>) {
  const route: PlainRoute = ROUTES[name]
  const inPath = new Set<string>()
  const path = fillPath(route.path, (key, severalParts) => {
    inPath.add(key)
    const value = input[key]
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${key}`)
    const parts = severalParts ? value.split('/') : [value]
    return parts.map(encodeURIComponent).join('/')
  })
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || inPath.has(key) || (route.takes && key === 'content')) continue
    if (!route.body || route.query?.includes(key)) append(query, key, value)
    else body[key] = value
  }
  return {
    method: route.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    body: route.takes
      ? (input.content as Uint8Array<ArrayBuffer>)
      : route.body
        ? JSON.stringify(body)
        : undefined,
  }
}

/** Several values of a field are repeated parameters. */
function append(query: URLSearchParams, key: string, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one))
}
