import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { PHRASES, ROUTES, type RouteDeclaration } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import { TOKEN_CHECK_MILLISECONDS } from '../../durations.js'
import type { Actor } from '../../security/actor.js'
import type { TokensRepository } from './tokens.repository.js'

/**
 * A close code of the private range: the token or login that opened the socket is no longer valid. A client that reconnects gets the
 * reason.
 */
export const TOKEN_ENDED = 4401
const CREDENTIAL_ENDED = PHRASES.credential_ended

/** The open connections of one token or login. */
interface Opened {
  readonly credential: Credential
  readonly ends: Set<() => void>
}
type Credential = Pick<Actor, 'token_id' | 'login'>

const routes: Readonly<Record<string, RouteDeclaration>> = ROUTES

/** The open sockets and file transfers of tokens and logins, which end with them. */
export class OpenConnections {
  readonly #opened = new Map<string, Opened>()
  /** Ends the regular check. */
  readonly close: () => void

  constructor(
    private readonly tokens: Pick<TokensRepository, 'good' | 'goodLogins' | 'endedLogins'>,
    lookMilliseconds = TOKEN_CHECK_MILLISECONDS,
  ) {
    this.close = repeatEvery(lookMilliseconds, () => this.look())
  }

  /** A token may be revoked between its check and the opening of its connection, so it is checked once more. */
  register(app: FastifyInstance): void {
    const actors = new WeakMap<IncomingMessage, Actor>()
    app.addHook('preValidation', async ({ ws, raw, actor }) => {
      if (ws && actor) actors.set(raw, actor)
    })
    app.websocketServer.on('connection', (socket: WebSocket, raw: IncomingMessage) => {
      const actor = actors.get(raw)
      if (!actor) return
      const forget = this.#add(actor, () => socket.close(TOKEN_ENDED, CREDENTIAL_ENDED))
      socket.on('close', forget)
    })
    app.addHook('preHandler', async (request, reply) => {
      const { actor, raw } = request
      if (actor && isTransfer(request))
        reply.raw.once(
          'close',
          this.#add(actor, () => raw.destroy()),
        )
    })
  }

  /** Close the connections of a revoked token, and of its logins. */
  closeToken(tokenId: string): void {
    for (const opened of this.#opened.values()) if (opened.credential.token_id === tokenId) end(opened)
  }

  /** @param login its digest */
  closeLogin(login: string): void {
    for (const opened of this.#opened.values()) if (opened.credential.login === login) end(opened)
  }

  /** Close the connections of tokens and logins that are no longer valid. While the database does not respond, all stay open. */
  async look(tokenId?: string): Promise<void> {
    const chosen = [...this.#opened.values()].filter(
      ({ credential }) => tokenId === undefined || credential.token_id === tokenId,
    )
    const good = await this.#good(chosen.map(({ credential }) => credential)).catch(() => null)
    if (good) for (const opened of chosen) if (!good(opened.credential)) end(opened)
  }

  /** Returns true if the token or login is valid at this moment. */
  async isGood(credential: Credential): Promise<boolean> {
    return (await this.#good([credential]))(credential)
  }

  async #good(credentials: readonly Credential[]): Promise<(credential: Credential) => boolean> {
    const named = credentials.filter(({ token_id }) => token_id !== null)
    const now = new Date().toISOString()
    const tokens = named.flatMap(({ token_id, login }) => (login === undefined ? (token_id ?? []) : []))
    const logins = named.flatMap(({ login }) => login ?? [])
    // For the service token, only ended logins are stored.
    const ofService = credentials.flatMap(({ token_id, login }) => (token_id === null ? (login ?? []) : []))
    const [goodTokens, goodLogins, ended] = await Promise.all([
      this.tokens.good(tokens, now),
      this.tokens.goodLogins(logins, now),
      this.tokens.endedLogins(ofService),
    ])
    return ({ token_id, login }) => {
      if (token_id === null) return login === undefined || !ended.has(login)
      return login === undefined ? goodTokens.has(token_id) : goodLogins.has(login)
    }
  }

  /** @returns a function to call once the connection has ended. */
  #add({ token_id, login }: Actor, close: () => void): () => void {
    // If no token is required, there is nothing to revoke.
    if (token_id === null && login === undefined) return () => undefined
    const key = `${token_id} ${login}`
    const credential = { token_id, ...(login === undefined ? {} : { login }) }
    const opened = this.#opened.get(key) ?? { credential, ends: new Set() }
    this.#opened.set(key, opened)
    opened.ends.add(close)
    if (token_id !== null) void this.look(token_id)
    return () => {
      opened.ends.delete(close)
      if (opened.ends.size === 0 && this.#opened.get(key) === opened) this.#opened.delete(key)
    }
  }
}

function isTransfer({ body, routeOptions }: FastifyRequest): boolean {
  return body instanceof Readable || routes[routeOptions.config.operation ?? '']?.gives !== undefined
}

function end({ ends }: Opened): void {
  for (const close of ends) close()
}
