import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import type { Actor } from '../../security/actor.js'

/** Of a private range: the token that the socket was opened with is no longer good. A client that comes back is told why. */
export const TOKEN_ENDED = 4401
const REASON = 'the token was revoked or has expired'
/** How soon the end of a token is seen that this process was not told of: it expired, or a notification was lost. */
const LOOK_MILLISECONDS = 5000

/** The sockets that were opened with a named token, by the token. */
export class OpenSockets {
  readonly #sockets = new Map<string, Set<WebSocket>>()
  readonly #looking: NodeJS.Timeout

  /** @param good those of these tokens that are good. */
  constructor(
    private readonly good: (tokenIds: readonly string[]) => Promise<ReadonlySet<string>>,
    lookMilliseconds = LOOK_MILLISECONDS,
  ) {
    this.#looking = setInterval(() => void this.look(), lookMilliseconds)
    this.#looking.unref()
  }

  /** A token may have been revoked between the look at it and the opening of its socket: it is looked at once more. */
  register(app: FastifyInstance): void {
    const actors = new WeakMap<IncomingMessage, Actor>()
    app.addHook('preValidation', async ({ ws, raw, actor }) => {
      if (ws && actor) actors.set(raw, actor)
    })
    app.websocketServer.on('connection', (socket: WebSocket, raw: IncomingMessage) => {
      const tokenId = actors.get(raw)?.token_id
      if (!tokenId) return
      this.#add(tokenId, socket)
      void this.look([tokenId])
    })
  }

  /** Close those of a token that was revoked. */
  close(tokenId: string): void {
    for (const socket of this.#sockets.get(tokenId) ?? []) socket.close(TOKEN_ENDED, REASON)
  }

  /** Close those of tokens that are no longer good. While the database does not answer, all stay. */
  async look(tokenIds: readonly string[] = [...this.#sockets.keys()]): Promise<void> {
    if (tokenIds.length === 0) return
    const good = await this.good(tokenIds).catch(() => null)
    if (good) for (const tokenId of tokenIds) if (!good.has(tokenId)) this.close(tokenId)
  }

  end(): void {
    clearInterval(this.#looking)
  }

  #add(tokenId: string, socket: WebSocket): void {
    const sockets = this.#sockets.get(tokenId) ?? new Set()
    this.#sockets.set(tokenId, sockets.add(socket))
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) this.#sockets.delete(tokenId)
    })
  }
}
