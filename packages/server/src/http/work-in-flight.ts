import type { RouteDeclaration } from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import { FairTurns } from '../security/fair-turns.js'

/** Requests that are answered in milliseconds, and have their turn that soon. */
const QUICK = { most: 64, mostOfEach: 8, mostWaiting: 1000 }
/** Files that come and go, and work that its caller waits for. */
const LASTING = { most: 256, mostOfEach: 16, mostWaiting: 1000 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests may take long without keeping others from anything. */
    lasts?: boolean
  }
  interface FastifyRequest {
    /** Its handler, which may go on when the caller has left. */
    work: Promise<unknown> | null
  }
}

/** Whether requests of a route are of bytes, or of work that its caller may wait for. */
export function lasts({ takes, gives, background }: RouteDeclaration): boolean {
  return takes !== undefined || gives !== undefined || background === true
}

/** Bound how much of each caller is done at the same time, so that one keeps no other from being answered. */
export function registerWorkInFlight(
  app: FastifyInstance,
  { maxSockets }: { readonly maxSockets: number },
): void {
  const quick = new FairTurns(QUICK)
  const lasting = new FairTurns(LASTING)
  const sockets = new SocketCounts(maxSockets)
  app.decorateRequest('work', null)
  app.addHook('onRequest', async (request, reply) => {
    if (request.ws) return sockets.add(callerOf(request), request.raw.socket)
    const { access, lasts } = request.routeOptions.config
    // The page and the state of health: they cost nothing.
    if (access === 'public' && request.method !== 'POST') return
    await takeTurn(lasts ? lasting : quick, request, reply)
  })
}

async function takeTurn(turns: FairTurns, request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  // No event would tell of the end of this one.
  if (raw.destroyed) throw new AppError('TOO_MANY_REQUESTS', 'the caller left before its turn')
  const left = new AbortController()
  const leave = () => left.abort()
  raw.once('close', leave)
  const end = await turns.take(callerOf(request), left.signal)
  raw.off('close', leave)
  const ended = () => void Promise.allSettled([request.work]).then(end)
  raw.once('finish', ended).once('close', ended)
}

/** Its token, that of the attempt of a job, or else its address. */
function callerOf({ actor, params, callerAddress, routeOptions }: FastifyRequest): string {
  if (routeOptions.config.access === 'attempt') return `job ${(params as { job_id?: string }).job_id}`
  return actor?.token_id ? `token ${actor.token_id}` : `address ${callerAddress}`
}

class SocketCounts {
  readonly #open = new Map<string, number>()

  constructor(private readonly most: number) {}

  add(caller: string, connection: import('node:net').Socket): void {
    if (connection.destroyed) return
    const open = this.#open.get(caller) ?? 0
    if (open >= this.most)
      throw new AppError('TOO_MANY_SOCKETS', `${open} WebSocket connections of this caller are open`)
    this.#open.set(caller, open + 1)
    connection.once('close', () => {
      const left = (this.#open.get(caller) ?? 0) - 1
      if (left > 0) this.#open.set(caller, left)
      else this.#open.delete(caller)
    })
  }
}
