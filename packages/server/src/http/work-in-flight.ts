import { phrase, type RouteDeclaration } from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import { ConcurrencyLimiter } from '../security/concurrency-limiter.js'

/** Limits for requests that are answered in milliseconds. */
const QUICK = { most: 64, mostOfEach: 8, mostWaiting: 1000 }
/** Limits for file transfers, and for work that its caller waits for. */
const LASTING = { most: 256, mostOfEach: 16, mostWaiting: 1000 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests may take long without blocking others. */
    lasts?: boolean
  }
  interface FastifyRequest {
    /** Promise of its handler, which may continue after the caller has disconnected. */
    work: Promise<unknown> | null
  }
}

/** Returns true if requests of a route transfer bytes, or do work that the caller may wait for. */
export function lasts({ takes, gives, background }: RouteDeclaration): boolean {
  return takes !== undefined || gives !== undefined || background === true
}

/** Limits the parallel work of each caller, so that no caller prevents others from being answered. */
export function registerWorkInFlight(
  app: FastifyInstance,
  { maxSockets }: { readonly maxSockets: number },
): void {
  const quick = new ConcurrencyLimiter(QUICK)
  const lasting = new ConcurrencyLimiter(LASTING)
  const sockets = new SocketCounts(maxSockets)
  app.decorateRequest('work', null)
  app.addHook('onRequest', async (request, reply) => {
    if (request.ws) return sockets.add(callerOf(request), request.raw.socket)
    const { access, lasts } = request.routeOptions.config
    // The page and the health status: they cost almost nothing.
    if (access === 'public' && request.method !== 'POST') return
    await acquireSlot(lasts ? lasting : quick, request, reply)
  })
}

async function acquireSlot(
  limiter: ConcurrencyLimiter,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<void> {
  // The close event has already occurred and will not be repeated.
  if (raw.destroyed) throw new AppError('TOO_MANY_REQUESTS', phrase('caller_left_queue'))
  const abort = new AbortController()
  const leave = () => abort.abort()
  raw.once('close', leave)
  const end = await limiter.acquire(callerOf(request), abort.signal)
  raw.off('close', leave)
  const ended = () => void Promise.allSettled([request.work]).then(end)
  raw.once('finish', ended).once('close', ended)
}

/** Its token, the job of its attempt, or otherwise its address: what nothing has checked may be made up for each request. */
function callerOf({ actor, attemptOf, callerAddress }: FastifyRequest): string {
  if (attemptOf !== null) return `job ${attemptOf}`
  return actor?.token_id ? `token ${actor.token_id}` : `address ${callerAddress}`
}

class SocketCounts {
  readonly #open = new Map<string, number>()

  constructor(private readonly most: number) {}

  add(caller: string, connection: import('node:net').Socket): void {
    if (connection.destroyed) return
    const open = this.#open.get(caller) ?? 0
    if (open >= this.most) throw new AppError('TOO_MANY_SOCKETS', phrase('sockets_open', { count: open }))
    this.#open.set(caller, open + 1)
    connection.once('close', () => {
      const remaining = (this.#open.get(caller) ?? 0) - 1
      if (remaining > 0) this.#open.set(caller, remaining)
      else this.#open.delete(caller)
    })
  }
}
