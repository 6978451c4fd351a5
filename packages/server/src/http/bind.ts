import { Readable } from 'node:stream'
import {
  asSent,
  type BackgroundRoute,
  type BackgroundTask,
  check,
  fillPath,
  phrase,
  ROUTES,
  type RouteDeclaration,
  type RouteName,
  type RouteNamesOf,
  type RouteRequest,
  type RouteResponse,
  type Routes,
} from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError, refusal } from '../errors.js'
import type { Actor } from '../security/actor.js'
import { onBehalfOf } from '../security/on-behalf-of.js'
import type { BackgroundTasks, OnProgress } from './background-tasks.js'
import type { Idempotency, Remember } from './idempotency/idempotency.js'
import { jsonInSlices } from './json-in-slices.js'
import type { RouteOfAny } from './route-processes.js'
import { lasts } from './work-in-flight.js'

/** Handles a route: the checked request in, the body of a 200 out. */
export type Handler<N extends RouteName> = (
  request: RouteRequest<N> &
    Content<N> & {
      /** Called with the progress of the work, from 0 to 1, and its phase. */
      readonly onProgress: OnProgress
      /** Called inside the transaction that does the work, with the response; see http/idempotency/. */
      readonly remember: Remember
      /**
       * Aborted when the caller has disconnected. A caller with an Idempotency-Key may return for the response, so it never counts as
       * disconnected.
       */
      readonly signal: AbortSignal
      /** The sender of the request; null on public routes. */
      readonly actor: Routes[N]['access'] extends 'public' | 'attempt' ? null : Actor
      /** For headers of the response. Status and body come from the return value of the handler. */
      readonly reply: FastifyReply
    },
) => Response<N> | Promise<Response<N>>
/** A handler of work that may continue without its caller: refusals before the work begins are reported at once. */
export interface BackgroundHandler<N extends RouteName> {
  /** @throws the errors of `work` that a quick check can detect. */
  readonly admit: (request: RouteRequest<N>) => Promise<unknown>
  readonly work: Handler<N>
  /** For a request with `wait=auto`: whether the work takes so long that it is a task. Absent: it never is. */
  readonly isLong?: (request: RouteRequest<N>) => Promise<boolean>
}
/** A handler whose whole change is the transaction in which it calls `remember`. */
export interface AtomicHandler<N extends RouteName> {
  readonly atomically: Handler<N>
}
type Response<N extends RouteName> = Routes[N] extends { gives: readonly string[] }
  ? Bytes
  : RouteResponse<N> | JsonText
/** The body of a route that accepts bytes, as a stream. */
type Content<N extends RouteName> = Routes[N] extends { takes: string }
  ? { readonly content: Readable }
  : Record<never, never>

/** A response that is not JSON, at once or in pieces. It may show a patient, so it is never cached. */
export class Bytes {
  constructor(
    readonly content: Uint8Array | Readable,
    /** One of the media types that the route declares. */
    readonly type: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A response that is already JSON text, sent byte for byte. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** One handler per route; a missing one is a compile error. */
export type Handlers = {
  [N in RouteName]:
    | Handler<N>
    | (N extends BackgroundRoute ? BackgroundHandler<N> : never)
    | (Routes[N] extends { idempotent: true } ? AtomicHandler<N> : never)
}

/** Handlers that every process of the service has. */
export type HandlersOfAny = Pick<Handlers, RouteOfAny>

/** The handlers of one domain: its routes are those with this tag. */
export type HandlersOf<Tag extends RouteDeclaration['tag']> = Pick<Handlers, RouteNamesOf<Tag>>

/** Performs the operations of routes: users change only their own items, and changes are in the audit log. */
export interface Operations {
  /**
   * `work` receives the parameters with aliases replaced by ids.
   * @throws AppError FORBIDDEN, and the errors of `work`.
   */
  carryOut<T, Params extends object>(
    operation: {
      readonly name: RouteName
      readonly request: FastifyRequest
      readonly params: Params
      readonly status?: number
      readonly isAtomic?: boolean
    },
    work: (
      audited: (response: unknown, transaction: Transaction<Tables>) => Promise<void>,
      params: Params,
    ) => Promise<T>,
  ): Promise<T>
}

export interface Binding {
  readonly handlers: Handlers | HandlersOfAny
  readonly idempotency: Idempotency
  readonly operations: Operations
  readonly tasks: BackgroundTasks
}

/** Bind the routes of these handlers. Requests are checked against the contracts before a handler sees them. */
export function bindRoutes(
  app: FastifyInstance,
  { handlers, idempotency, operations, tasks }: Binding,
): void {
  for (const [name, handle] of Object.entries(handlers) as [RouteName, Handlers[RouteName]][]) {
    const route: RouteDeclaration = ROUTES[name]
    const handler = partsOf(handle)
    app.route({
      method: route.method,
      url: fillPath(route.path, (field, severalParts) => (severalParts ? '*' : `:${field}`)),
      config: { access: route.access, operation: name, lasts: lasts(route) },
      ...(route.bodyBytes ? { bodyLimit: route.bodyBytes } : {}),
      handler: (request, reply) => {
        request.work = onBehalfOf(request.actor?.user ?? null, () => answer(request, reply))
        return request.work
      },
    })
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const checked = checkRequest(route, request)
      const { actor } = request
      const operation = { name, request, params: checked.params as object, isAtomic: handler.isAtomic }
      if (route.background && (await isTask(checked, handler))) {
        const query = { ...(checked.query as object), wait: 'false' }
        const begin = async () => {
          await handler.admit(checked as RouteRequest<RouteName>)
          return inBackground(name, { ...checked, query, actor }, handler.work, tasks)
        }
        return reply.status(202).send(await operations.carryOut({ ...operation, status: 202 }, begin))
      }
      const key = route.idempotent ? request.headers['idempotency-key'] : undefined
      const signal = key === undefined ? callerOf(reply) : new AbortController().signal
      const response = await operations.carryOut(operation, (audited, params) =>
        idempotency.once(
          {
            route: name,
            key: typeof key === 'string' ? key : undefined,
            user: actor?.token_id ? actor.user : null,
          },
          checked,
          (store) => {
            const remember: Remember = async (transaction, response) => {
              await store(transaction, response)
              await audited(response, transaction)
            }
            return Promise.resolve(
              handler.work({
                ...{ ...checked, params, content: request.body },
                ...{ remember, signal, onProgress, reply, actor },
              } as Parameters<typeof handler.work>[0]),
            )
          },
        ),
      )
      if (response instanceof Bytes)
        return reply
          .type(response.type)
          .headers({ ...response.headers, 'cache-control': 'private, no-store' })
          .send(response.content)
      const text = response instanceof JsonText ? response.text : await jsonInSlices(response)
      return text === null ? response : reply.type('application/json; charset=utf-8').send(text)
    }
  }
}

async function isTask(checked: CheckedRequest, handler: BackgroundHandler<RouteName>): Promise<boolean> {
  const { wait } = checked.query as { readonly wait: 'auto' | 'true' | 'false' }
  if (wait !== 'auto') return wait === 'false'
  return (await handler.isLong?.(checked as RouteRequest<RouteName>)) ?? false
}

/** A handler without `admit` refuses requests by itself. */
function partsOf(
  handler: Handler<RouteName> | BackgroundHandler<RouteName> | AtomicHandler<RouteName>,
): BackgroundHandler<RouteName> & { readonly isAtomic: boolean } {
  if ('work' in handler) return { ...handler, isAtomic: false }
  const admit = async () => undefined
  if ('atomically' in handler) return { admit, work: handler.atomically, isAtomic: true }
  return { admit, work: handler, isAtomic: false }
}

/** A waiting caller receives no progress. */
const onProgress: OnProgress = () => undefined

/** Start the work of a route, and respond with its task. */
function inBackground(
  name: RouteName,
  checked: CheckedRequest & { readonly actor: Actor | null },
  handle: Handler<RouteName>,
  tasks: BackgroundTasks,
): Promise<BackgroundTask> {
  const { params, body } = checked as { params: object; body: object }
  // Such a route stores no response for an Idempotency-Key.
  const remember: Remember = async () => undefined
  const owner = checked.actor?.user ?? null
  return tasks.begin(name, { ...params, ...body }, owner, async (signal, onProgress) =>
    handle({ ...checked, remember, signal, onProgress } as Parameters<typeof handle>[0]),
  )
}

/** Aborted when the connection closes before the response has been sent. */
function callerOf({ raw }: FastifyReply): AbortSignal {
  const abort = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort()
  })
  return abort.signal
}

/** @throws AppError INVALID_JSON for bytes instead of JSON, INVALID_REQUEST for JSON instead of bytes. */
function checkMedium(route: RouteDeclaration, { body }: FastifyRequest): void {
  const isStream = body instanceof Readable
  if (isStream && !route.takes) throw new AppError('INVALID_JSON', phrase('body_not_json_type'))
  if (route.takes && !isStream)
    throw new AppError(
      'INVALID_REQUEST',
      phrase('body_not_of_type', { type: route.takes }),
      phrase('send_bytes_as', { type: route.takes }),
    )
}

/** The router stores the remaining parts of the path under "*". */
function paramsOf({ path }: RouteDeclaration, { '*': rest, ...params }: Record<string, string>) {
  if (rest !== undefined)
    fillPath(path, (field, severalParts) => {
      if (severalParts) params[field] = rest
      return field
    })
  return params
}

function withConfigAsSent(body: unknown): unknown {
  const { config } = (body ?? {}) as { config?: unknown }
  return typeof config === 'object' && config !== null
    ? { ...(body as object), config: asSent(config) }
    : body
}

interface CheckedRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

function checkRequest(route: RouteDeclaration, request: FastifyRequest): CheckedRequest {
  checkMedium(route, request)
  // A body may be omitted; a body of null is not an object.
  const sent = request.body === undefined && route.bodyRequired === false ? {} : request.body
  const body = route.trains ? withConfigAsSent(sent) : sent
  const parts = [
    ['params', route.params, paramsOf(route, request.params as Record<string, string>)],
    ['query', route.query, request.query],
    ['body', route.body, body],
  ] as const
  const values = { params: {}, query: {}, body: {} } as Record<keyof CheckedRequest, unknown>
  for (const [part, schema, input] of parts) {
    if (!schema) continue
    const checked = check(schema, input)
    if (!checked.ok) throw refusal(checked.issues)
    values[part] = checked.value
  }
  return values
}
