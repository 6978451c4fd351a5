import { ROUTES, type RouteDeclaration } from '../src/index.js'
import { GENERATED } from './generated.js'

/** The route table without schemas, which is sufficient for calls, so that a browser does not load zod. */
export function clientRoutes(): string {
  return `// ${GENERATED}

import type { HttpMethod, RouteName } from '@medloom/contracts'

/** The part of a route that a call needs. */
export interface PlainRoute {
  readonly method: HttpMethod
  readonly path: string
  /** Fields of the query. */
  readonly query?: readonly string[]
  /** Other fields are sent in a body; if it is absent, they are sent in the query. */
  readonly body?: true
  /** Media type of a binary request body, which is the field "content". */
  readonly takes?: string
  /** Media types of a binary response. */
  readonly gives?: readonly string[]
  /** The route accepts an Idempotency-Key. */
  readonly idempotent?: true
}

export const ROUTES = {
${Object.entries(ROUTES as Record<string, RouteDeclaration>)
  .map(([name, route]) => `  ${name}: ${plain(route)},`)
  .join('\n')}
} as const satisfies Record<RouteName, PlainRoute>
`
}

function plain({ method, path, query, body, takes, gives, idempotent }: RouteDeclaration): string {
  const names = Object.keys(query?.shape ?? {}).map((name) => `'${name}'`)
  const parts = [`method: '${method}'`, `path: '${path}'`]
  if (names.length > 0) parts.push(`query: [${names.join(', ')}]`)
  if (body) parts.push('body: true')
  if (takes) parts.push(`takes: '${takes}'`)
  if (gives) parts.push(`gives: [${gives.map((type) => `'${type}'`).join(', ')}]`)
  if (idempotent) parts.push('idempotent: true')
  return `{ ${parts.join(', ')} }`
}
