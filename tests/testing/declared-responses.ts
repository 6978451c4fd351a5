import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressPattern, errorsOf, fillPath, ROUTES, type RouteDeclaration } from '@medloom/contracts'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { REPOSITORY } from './service.js'

/** "/api/training/start" is not a job: routes without parameters come first. */
const ADDRESSES = Object.values(ROUTES as Record<string, RouteDeclaration>)
  .map((route) => ({
    ...route,
    pattern: addressPattern(route.path),
    errors: errorsOf(route) as readonly unknown[],
  }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)

/** Declaration of a response in openapi.json; undefined if the route is unknown. */
export function declaredResponse(method: string, address: string, status: number): Declared | undefined {
  const [path = ''] = address.split('?')
  const route = ADDRESSES.find((route) => route.method === method && route.pattern.test(path))
  if (!route) return undefined
  const name = `${route.method} ${route.path}`
  return {
    name,
    errors: route.errors,
    problems: (body) =>
      status === 200 && route.gives ? [] : problemsOf(validatorOf(route.path, route.method, status), body),
  }
}

export interface Declared {
  readonly name: string
  /** Error codes that the route may return. */
  readonly errors: readonly unknown[]
  /** Violations of the schema by a body; empty if there are none. */
  problems(body: unknown): string[]
}

const OPENAPI = 'openapi.json'
let ajv: Ajv2020 | undefined

function validatorOf(address: string, method: string, status: number): ValidateFunction | undefined {
  if (!ajv) {
    ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const text = readFileSync(join(REPOSITORY, 'packages/contracts/generated', OPENAPI), 'utf8')
    ajv.addSchema(JSON.parse(text), OPENAPI)
  }
  const path = fillPath(address, (field) => `{${field}}`)
  const place = ['paths', path, method.toLowerCase(), 'responses', status, 'content', 'application/json']
  const pointer = place.map((part) => encodeURIComponent(String(part).replaceAll('/', '~1'))).join('/')
  return ajv.getSchema(`${OPENAPI}#/${pointer}/schema`)
}

function problemsOf(validate: ValidateFunction | undefined, body: unknown): string[] {
  if (!validate) return ['this status is not declared']
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
