import { JOB_TRANSITIONS, LIMITS, ROUTES, type RouteDeclaration, SOCKETS } from '../../src/index.js'
import { HEAD } from '../generated.js'

/** Reference page of the routes: addresses, job status, limits. */
export function routesPage(): string {
  const lines = Object.values(ROUTES as Record<string, RouteDeclaration>).map(
    (route) => `| ${route.method} | \`${route.path}\` | ${route.access} | ${route.summary} |`,
  )
  const sockets = Object.values(SOCKETS).map(
    ({ path, access }) => `| WebSocket | \`${path}\` | ${access} | [events](events.md) as they happen |`,
  )
  const limits = Object.entries(LIMITS).map(([name, value]) => `| ${name} | ${value} |`)
  return `${HEAD}# Routes

The full description is served at \`/openapi.json\` and shown at \`/docs\`. *Access* is the least role that a token must have where the service
asks for one ([people](../guides/people.md)); what is public needs none.

| method | path | access | what it does |
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
