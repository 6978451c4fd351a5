import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorsOf, fillPath, LIMITS, ROUTES, type RouteDeclaration } from '../index.js'

/** Returns true if an object in a value of this schema can have any number of keys. */
function isOpen(schema: unknown, seen = new Set<unknown>()): boolean {
  const def = (schema as { readonly _zod?: { readonly def: Readonly<Record<string, unknown>> } })?._zod?.def
  if (!def || seen.has(schema)) return false
  seen.add(schema)
  if (['record', 'unknown', 'any'].includes(String(def.type))) return true
  if (isOpen(def.catchall, seen)) return true
  const parts = [def.element, def.innerType, def.in, def.out, def.left, def.right]
  const all = [...parts, ...Object.values(def.shape ?? {}), ...((def.options as unknown[]) ?? [])]
  return all.some((part) => isOpen(part, seen))
}

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

  it.each(routes.filter(([, { body, access }]) => body && access !== 'attempt'))(
    '%s accepts as many keys in one object as a table has columns only if its body is open',
    (_, { body, bodyKeys }) => {
      expect(bodyKeys !== undefined).toBe(isOpen(body))
    },
  )

  it('accept no deep bodies where a body has only a few fields', () => {
    expect(
      routes
        .filter(([, { bodyDepth }]) => bodyDepth !== undefined)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['createToken', 'createUpload', 'editJob', 'finishUpload', 'login', 'setAlias', 'setUser'])
    for (const [, { bodyDepth = 0 }] of routes) expect(bodyDepth).toBeLessThan(LIMITS.body_depth)
  })

  it('are all in the OpenAPI document, whose references all resolve', () => {
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

describe('the access of routes', () => {
  const named = (chosen: (route: RouteDeclaration) => boolean) =>
    routes.filter(([, route]) => chosen(route)).map(([name]) => name)

  it('is public only if it reveals no content of the service', () => {
    expect(named(({ access }) => access === 'public')).toEqual(['getSession', 'login', 'logout'])
  })

  it.each(routes)('%s: who may only look changes nothing', (_, { access, changes, owned, method }) => {
    if (access === 'read' || access === 'public') expect([changes, owned]).toEqual([undefined, false])
    if (method === 'GET') expect(changes).toBeUndefined()
  })

  it('of everything that does not only read, these change nothing that stays', () => {
    // Trainers report through their own routes, many times a second.
    const ofPeople = (route: (typeof routes)[number][1]) => route.access !== 'attempt'
    expect(named((route) => route.method !== 'GET' && !route.changes && ofPeople(route)).sort()).toEqual([
      'checkStudy',
      'checkTraining',
      'checkWorkflow',
      'configurationOfWorkflow',
      'deleteDraft',
      'findLeaks',
      'inspectDataset',
      'listThumbnails',
      'login',
      'logout',
      'planWorkflow',
      'previewCases',
      'proposeRecipe',
      'saveDraft',
      'sendUpload',
      'upgradeWorkflow',
      'workflowOfTraining',
    ])
  })

  it('is not limited to owners where work on something makes what belongs to the caller', () => {
    const onSomething = ({ access, owned, params }: RouteDeclaration) => access === 'run' && params && !owned
    expect(named((route) => Boolean(onSomething(route))).sort()).toEqual([
      'evaluateModel',
      'executeWorkflow',
      'exportModel',
      'findLeaks',
      // Whoever may request predictions may enter a case.
      'getModelInputs',
      'predictCases',
      // Only a finished upload of the caller is found.
      'previewUpload',
      // A report is rewritten from data that every user may read.
      'reportEvaluation',
      'reportStudy',
      'resumeJob',
    ])
  })

  it.each(routes.filter(([, { owned }]) => owned))('%s names in its address whose it is', (_, { params }) => {
    expect(Object.keys(params?.shape ?? {})).toHaveLength(1)
  })

  it('needs the permission to read identifiers wherever these are requested or contained in a table', () => {
    expect(named(({ identifiers }) => identifiers !== undefined).sort()).toEqual([
      'getJobFile',
      'getPortFile',
      'getPredictionFile',
      'listCases',
      'listComparedCases',
      'listEvaluationCases',
      'predictCases',
      'previewNode',
    ])
    for (const [name, { query, identifiers }] of routes)
      if ('identifiers' in (query?.shape ?? {}))
        expect(identifiers?.({ query: { identifiers: 'true' }, path: '' }), name).toBe(true)
    const { getJobFile, getPortFile, listCases } = ROUTES
    const inFile = (path: string, query = {}) => [
      getJobFile.identifiers({ query, path }),
      getPortFile.identifiers({ query, path }),
    ]
    expect(inFile('evaluations/a/predictions.csv')).toEqual([true, true])
    expect(inFile('predictions.CSV')).toEqual([true, true])
    expect(inFile('reports/report.html')).toEqual([false, false])
    expect(inFile('cases.txt', { port: 'export_path' })).toEqual([false, true])
    expect(listCases.identifiers({ query: { identifiers: 'false' }, path: '' })).toBe(false)
  })

  it('is in the OpenAPI document', () => {
    const document = JSON.parse(
      readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'),
    )
    for (const [, { path, method, access }] of routes) {
      const described = document.paths[fillPath(path, (field) => `{${field}}`)][method.toLowerCase()]
      expect(described['x-access']).toBe(access)
    }
    for (const socket of Object.values(document['x-websockets']) as { 'x-access': string }[])
      expect(socket['x-access']).toBe('read')
  })
})
