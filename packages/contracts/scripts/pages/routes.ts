import { JOB_TRANSITIONS, LIMITS, ROUTES, type RouteDeclaration } from '../../src/index.js'
import { HEAD } from '../generated.js'

/** The reference page of the routes: addresses, job status, limits. */
export function routesPage(): string {
  const lines = Object.values(ROUTES as Record<string, RouteDeclaration>).map(
    (route) => `| ${route.method} | \`${route.path}\` | ${route.summary} |`,
  )
  const limits = Object.entries(LIMITS).map(([name, value]) => `| ${name} | ${value} |`)
  return `${HEAD}# Routes

The full description is served at \`/openapi.json\` and shown at \`/docs\`.

| method | path | what it does |
|---|---|---|
${lines.join('\n')}

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
