import { z } from 'zod'
import {
  BackgroundTask,
  ERRORS,
  ErrorBody,
  type ErrorCode,
  errorsOf,
  fillPath,
  IdempotencyKey,
  JobMessage,
  ROUTES,
  type RouteDeclaration,
  SESSION_COOKIE,
  ServiceMessage,
  SOCKETS,
  StudyMessage,
  WorkflowMessage,
} from '../src/index.js'
import { VERSION } from './version.js'

type Json = Record<string, unknown>

/** Binary content in the form that most tools support. */
const BINARY = { type: 'string', format: 'binary' }

/** OpenAPI 3.1 document of the route table. Its schema language is JSON Schema 2020-12, so schemas are not translated. */
export function openApi(): Json {
  const components: Json = {}
  const schema = (type: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema: _, $defs = {}, ...body } = z.toJSONSchema(type, { io, target: 'draft-2020-12' }) as Json
    const suffix = io === 'input' ? 'Input' : ''
    for (const [name, definition] of Object.entries($defs as Json))
      components[name + suffix] = asComponent(definition, suffix)
    return asComponent(body, suffix) as Json
  }

  const errorResponse = (codes: readonly ErrorCode[]) => ({
    description: codes.join(', '),
    content: { 'application/json': { schema: schema(ErrorBody, 'output') } },
  })

  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(ROUTES) as [string, RouteDeclaration][]) {
    const parameters = [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.idempotent
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              schema: schema(IdempotencyKey, 'input'),
            },
          ]
        : []),
    ]
    const codes = errorsOf(route)
    const statuses = [...new Set(codes.map((code) => ERRORS[code].http))].sort()
    // OpenAPI has no path field with several segments; the slashes stay as they are.
    const path = fillPath(route.path, (field) => `{${field}}`)
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        operationId: name,
        tags: [route.tag],
        summary: route.summary,
        'x-access': route.access,
        ...(route.access === 'public' ? { security: [{}] } : {}),
        ...(route.access === 'attempt' ? { security: [{ token: [] }] } : {}),
        ...(parameters.length > 0 ? { parameters } : {}),
        ...(route.body
          ? {
              requestBody: {
                required: route.bodyRequired !== false,
                content: { 'application/json': { schema: schema(route.body, 'input') } },
              },
            }
          : {}),
        ...(route.takes
          ? { requestBody: { required: true, content: { [route.takes]: { schema: BINARY } } } }
          : {}),
        responses: {
          200: {
            description: 'Success',
            content: route.gives
              ? Object.fromEntries(route.gives.map((type) => [type, { schema: BINARY }]))
              : { 'application/json': { schema: schema(route.response, 'output') } },
          },
          ...(route.background
            ? {
                202: {
                  description: 'With wait=false: the background task',
                  content: { 'application/json': { schema: schema(BackgroundTask, 'output') } },
                },
              }
            : {}),
          ...Object.fromEntries(
            statuses.map((status) => [
              status,
              errorResponse(codes.filter((code) => ERRORS[code].http === status)),
            ]),
          ),
        },
      },
    }
  }
  const jobMessage = schema(JobMessage, 'output')
  const workflowMessage = schema(WorkflowMessage, 'output')
  const serviceMessage = schema(ServiceMessage, 'output')
  const studyMessage = schema(StudyMessage, 'output')

  return {
    openapi: '3.1.0',
    info: {
      title: 'Medloom',
      version: VERSION,
      summary: 'Train models that read medical images and tables together.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      'training',
      'studies',
      'models',
      'aliases',
      'evaluations',
      'predictions',
      'datasets',
      'tasks',
      'files',
      'workflows',
      'session',
      'people',
      'system',
      'exchange',
    ].map((tag) => ({
      name: tag,
    })),
    paths,
    security: [{}, { token: [] }, { session: [] }],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Required if the service was started with --token-file or a user has a token; x-access is the minimum role',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Cookie of a browser instead of the token; set by POST /api/login',
        },
      },
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    'x-websockets': {
      [SOCKETS.service.path]: {
        'x-access': SOCKETS.service.access,
        summary:
          'A snapshot of the service, then changes; ?stream=S&since=N sends the messages after N instead',
        message: serviceMessage,
      },
      [SOCKETS.training.path]: {
        'x-access': SOCKETS.training.access,
        summary: 'Messages of a job; ?since=N replays the messages after N',
        message: jobMessage,
      },
      [SOCKETS.studies.path]: {
        'x-access': SOCKETS.studies.access,
        summary: 'A snapshot of a study, then changes until it ends',
        message: studyMessage,
      },
      [SOCKETS.workflow.path]: {
        'x-access': SOCKETS.workflow.access,
        summary: 'A snapshot of the latest run of a workflow, then changes',
        message: workflowMessage,
      },
    },
  }
}

/** The same schema with local references that point to the components, and without its `id`. */
function asComponent(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((inner) => asComponent(inner, suffix))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(asArray(value as Json)).flatMap(([key, inner]) => {
      if (key === 'id' && typeof inner === 'string') return []
      if (key === '$ref' && typeof inner === 'string')
        return [[key, `${inner.replace('#/$defs/', '#/components/schemas/')}${suffix}`]]
      return [[key, asComponent(inner, suffix)]]
    }),
  )
}

/** A tuple of equal elements, written as an array of fixed length, which accepts the same values and which every tool supports. */
function asArray(schema: Json): Json {
  const { prefixItems, items, ...rest } = schema
  if (!Array.isArray(prefixItems) || items !== false) return schema
  const [first] = prefixItems
  const alike = prefixItems.every((item) => JSON.stringify(item) === JSON.stringify(first))
  return alike ? { ...rest, items: first } : schema
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Json
    required?: string[]
  }
  return Object.entries(properties).map(([name, definition]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: definition,
  }))
}
