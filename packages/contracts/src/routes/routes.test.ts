import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorsOf, fillPath, ROUTES, type RouteDeclaration } from '../index.js'

const routes = Object.entries(ROUTES) as [string, RouteDeclaration][]

describe('routes', () => {
  it('declare each method and path once', () => {
    const addresses = routes.map(([, route]) => `${route.method} ${route.path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it.each(routes)('%s declares exactly the parameters that its path names', (_, route) => {
    const named: string[] = []
    fillPath(route.path, (name) => String(named.push(name)))
    expect(Object.keys(route.params?.shape ?? {})).toEqual(named)
  })

  it.each(routes)(
    '%s declares its own errors once each, and none that every route of its kind may give',
    (_, route) => {
      const { errors: own = [], ...without } = route
      expect(new Set(errorsOf(route)).size).toBe(errorsOf(route).length)
      for (const code of own) expect(errorsOf(without)).not.toContain(code)
    },
  )

  it('stand all in the OpenAPI document, whose references all resolve', () => {
    const text = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')
    const document = JSON.parse(text)
    for (const [name, route] of routes)
      expect(
        document.paths[fillPath(route.path, (field) => `{${field}}`)][route.method.toLowerCase()].operationId,
      ).toBe(name)
    for (const [, name] of text.matchAll(/"\$ref": "#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas, name).toHaveProperty(name ?? '')
  })
})
