import { ROUTES, type RouteDeclaration } from '../src/index.js'
import { GENERATED } from './generated.js'

/** The route table without schemas, which is all that a call needs: a browser loads no zod for it. */
export function clientRoutes(): string {
  return `// ${GENERATED}

import type { HttpMethod, RouteName } from '@medloom/contracts'

/** What a call needs of a route. */
export interface PlainRoute {
  readonly method: HttpMethod
  readonly path: string
  /** Fields that go into the query. */
  readonly query?: readonly string[]
  /** Whether other fields go into a body; without one they go into the query. */
  readonly body?: true
  /** Media type of a body of bytes, which is the field content. */
  readonly takes?: string
  /** Media types of a response of bytes. */
  readonly gives?: readonly string[]
  /** Whether it takes an Idempotency-Key. */
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
