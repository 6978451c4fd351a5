import { errorsOf, GENERAL_ERRORS, ROUTES, type RouteDeclaration } from '../src/index.js'
import { GENERATED } from './generated.js'

/** The methods of the typed client: one per route, documented from its declaration. */
export function clientMethods(): string {
  const methods = Object.entries(ROUTES as Record<string, RouteDeclaration>).map(method)
  return `// ${GENERATED}

import type { RouteResponse } from '@medloom/contracts'
import type { CallArguments } from './call.js'

/**
 * One method per route. Each may throw a MedloomError with one of the codes listed, with a code of any call
 * (${GENERAL_ERRORS.join(', ')}), or with a ClientErrorCode.
 */
export interface RouteMethods {
${methods.join('\n\n')}
}
`
}

function method([name, route]: [string, RouteDeclaration]): string {
  const general: readonly string[] = GENERAL_ERRORS
  const codes = errorsOf(route).filter((code) => !general.includes(code))
  const lines = [
    `${route.summary}.`,
    '',
    `\`${route.method} ${route.path}\``,
    ...(codes.length > 0 ? [`@throws MedloomError ${codes.join(', ')}`] : []),
    `@example await client.${name}(${example(route)})`,
  ]
  return `  /**
${lines
  .flatMap((line) => wrap(line))
  .map((line) => `   * ${line}`.trimEnd())
  .join('\n')}
   */
  ${name}(...args: CallArguments<'${name}'>): Promise<RouteResponse<'${name}'>>`
}

/** Required fields of a call on one level: those of the path, then those of the body. */
function example({ params, body, bodyRequired }: RouteDeclaration): string {
  const known = Object.entries(body?.shape ?? {})
  const required = known.filter(([, schema]) => !accepts(schema, undefined))
  // A required body without required fields is shown with its first field.
  const shown = required.length > 0 || bodyRequired === false ? required : known.slice(0, 1)
  const fields = [...Object.keys(params?.shape ?? {}), ...shown.map(([name]) => name)]
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : ''
}

function accepts(schema: unknown, value: unknown): boolean {
  return (schema as { safeParse(value: unknown): { success: boolean } }).safeParse(value).success
}

function wrap(line: string, width = 110): string[] {
  const rows: string[] = []
  let row = ''
  for (const word of line.split(' ')) {
    if (row !== '' && row.length + 1 + word.length > width) {
      rows.push(row)
      row = word
    } else row = row === '' ? word : `${row} ${word}`
  }
  return [...rows, row]
}
