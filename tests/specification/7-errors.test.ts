import { fillPath, ROUTES, type RouteDeclaration } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const routes = Object.entries(ROUTES) as [string, RouteDeclaration][]

/** Any value that a field accepts. */
const filled = (schema: z.ZodType) => {
  const choices = 'options' in schema && Array.isArray(schema.options) ? schema.options : []
  const usual = [UNKNOWN, 'unknown', 0, 1, [0], [UNKNOWN], {}]
  return [...usual, ...choices].find((value) => schema.safeParse(value).success)
}

/** A value for every required field of a request. */
const required = (part: z.ZodObject | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(part?.shape ?? {})
      .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
      .map(([name, schema]) => [name, filled(schema as z.ZodType)]),
  )

/** The required fields; of predictions, one of several sources of cases. */
const bodyOf = (route: RouteDeclaration) =>
  route === ROUTES.predictCases ? { rows: [{ age: 50 }] } : required(route.body)

/** A well-formed request for an item that does not exist. */
async function askAboutUnknown(route: RouteDeclaration) {
  const params = required(route.params)
  const address = fillPath(route.path, (name) => String(params[name]))
  const query = new URLSearchParams(required(route.query) as Record<string, string>)
  const path = `${address}?${query}`
  if (!route.takes) return caller.request(route.method, path, bodyOf(route))
  const init = { method: route.method, headers: { 'content-type': route.takes }, body: new Uint8Array(1) }
  const response = await fetch(shared.url + path, init)
  return { status: response.status, body: await response.json() }
}

describe('7 Errors', () => {
  // Routes for attempt tokens reveal to nobody else whether the attempt exists.
  it.each(routes.filter(([, { params, access }]) => params && access !== 'attempt'))(
    '%s of something unknown is 404 with the error body',
    shows('7/404', '7/body'),
    async (_, route) => {
      const { status, body } = await askAboutUnknown(route)
      expect([status, body]).toMatchObject([
        404,
        {
          error: expect.any(String),
          code: expect.stringMatching(/^(?!ROUTE).*_NOT_FOUND$/),
          details: expect.any(String),
        },
      ])
    },
  )

  it.each(routes.filter(([, { access }]) => access === 'attempt'))(
    '%s without the token of its attempt is 401 with the error body, whatever it sends',
    shows('7/body'),
    async (_, route) => {
      const { status, body } = await caller.request(
        route.method,
        fillPath(route.path, () => 'no-id'),
      )
      expect([status, body]).toMatchObject([401, { code: 'UNAUTHORIZED', details: expect.any(String) }])
    },
  )

  it.each(
    routes.filter(
      ([, { body, bodyRequired, access }]) => body && bodyRequired !== false && access !== 'attempt',
    ),
  )('%s without its body is 400 with the error body', shows('7/400', '7/body'), async (_, route) => {
    const { status, body } = await caller.request(
      route.method,
      fillPath(route.path, () => UNKNOWN),
    )
    expect([status, body]).toMatchObject([400, { code: expect.any(String), details: expect.any(String) }])
  })

  it('200 is success: creating answers 200, not 201', shows('7/200', '7/conditions'), async () => {
    const { status } = await caller.post('/api/datasets', { path: `${shared.dataset}/val.csv` })
    expect(status).toBe(200)
  })

  it('a problem of the request names its place and what to do', shows('7/400', '7/conditions'), async () => {
    const { body } = await caller.post<{ issues: { path: string; hint: string }[] }>('/api/training/start', {
      config: {
        data: { train_csv: 'x.csv' },
        model: { vision_backbone: 'resnet81', fusion_type: 'gated' },
        training: { epochs: 0, batch_size: 4 },
      },
    })
    expect(body.issues.map(({ path }) => path)).toEqual([
      'config.model.vision_backbone',
      'config.training.epochs',
    ])
    expect(body.issues[0]?.hint).toContain('resnet18')
  })
})
