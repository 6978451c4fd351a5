import type { RouteInput, RouteName, Routes } from '@medloom/contracts'
import { type PlainRoute, ROUTES } from './routes.js'

/** What a caller gives to a route: the fields of path, query and body side by side; bytes as `content`. */
export type CallInput<N extends RouteName> = RouteInput<N>['params'] &
  RouteInput<N>['query'] &
  RouteInput<N>['body'] &
  (Routes[N] extends { takes: string } ? { readonly content: Uint8Array<ArrayBuffer> } : Record<never, never>)

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutSeconds?: number
  /** The same key with the same request gets the stored response instead of a second effect. */
  readonly idempotencyKey?: string
}

/** Input may be left out where no field is required. */
export type CallArguments<N extends RouteName> =
  Record<never, never> extends CallInput<N>
    ? [input?: CallInput<N>, options?: CallOptions]
    : [input: CallInput<N>, options?: CallOptions]

/** Seconds until a response must arrive where the usual time is too short: these routes wait for work to end. */
export const SLOW_ROUTES: Partial<Record<RouteName, number>> = {
  stopJob: 120,
  startStudy: 3600,
  checkStudy: 3600,
  stopStudy: 600,
  reportStudy: 600,
  evaluateModel: 24 * 3600,
  compareModels: 24 * 3600,
  inspectDataset: 3600,
  registerDataset: 3600,
  listCases: 3600,
  getDistribution: 3600,
  listThumbnails: 3600,
  getImage: 3600,
  getImageInfo: 3600,
  finishUpload: 3600,
  executeWorkflow: 3600,
  planWorkflow: 3600,
  previewNode: 3600,
}

/** Path with its query, and the JSON body, of a call. Unknown fields go to the body, where the service reports them. */
export function composeRequest(name: RouteName, input: Readonly<Record<string, unknown>>) {
  const route: PlainRoute = ROUTES[name]
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || route.path.includes(`{${key}}`) || (route.takes && key === 'content')) continue
    if (!route.body || route.query?.includes(key)) append(query, key, value)
    else body[key] = value
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = input[key]
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${key}`)
    return encodeURIComponent(value)
  })
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

/** Several values of a field stand side by side. */
function append(query: URLSearchParams, key: string, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one))
}
