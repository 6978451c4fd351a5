import { JOB_TRANSITIONS, LIMITS, ROUTES, type RouteDeclaration, SOCKETS } from '../../src/index.js'
import { HEAD } from '../generated.js'

/** Reference page of the routes: addresses, job status, limits. */
export function routesPage(): string {
  const lines = Object.values(ROUTES as Record<string, RouteDeclaration>).map(
    (route) => `| ${route.method} | \`${route.path}\` | ${route.access} | ${route.summary} |`,
  )
  const sockets = Object.values(SOCKETS).map(
    ({ path, access }) => `| WebSocket | \`${path}\` | ${access} | send [events](events.md) live |`,
  )
  const limits = Object.entries(LIMITS).map(([name, value]) => `| ${name} | ${value} |`)
  return `${HEAD}# Routes

The full description is available at \`/openapi.json\` and \`/docs\`. *Access* is the minimum role of the token if the service requires one
([people](../guides/people.md)); public routes do not require a token.

| method | path | access | description |
|---|---|---|---|
${[...lines, ...sockets].join('\n')}

## Job status

| from | to |
|---|---|
${Object.entries(JOB_TRANSITIONS)
  .map(([from, to]) => `| ${from} | ${to.join(', ') || '– (final)'} |`)
  .join('\n')}

## Limits

| limit | value |
|---|---|
${limits.join('\n')}
`
}
