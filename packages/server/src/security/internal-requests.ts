import { createHash, createHmac, type Hash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { phrase, SERVICE_USER } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.js'
import type { Actor } from './actor.js'
import { SingleUse } from './single-use.js'
import { sameToken } from './token.js'

/** Headers between processes of the service. Those that a client sends are never forwarded. */
const CALLER_HEADER = 'x-medloom-caller'
const SIGNATURE_HEADER = 'x-medloom-signature'
/** Trailer after a body whose digest is unknown when its headers are sent. */
export const BODY_TRAILER = 'x-medloom-body'
/** Replaces the digest of such a body in the signature. */
const IN_TRAILER = 'trailer'
/** Difference between the clocks of two processes plus the transfer time of a request. */
const MAX_AGE_MILLISECONDS = 60_000

/** Sender and address of the request that a process forwards. */
export interface Caller {
  readonly actor: Actor | null
  readonly address: string
}

/** A request of one process of the service to the controller. */
export interface InternalRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Absent: the process makes the request for itself. */
  readonly caller?: Caller | undefined
  readonly body?: Buffer | Readable | null | undefined
}

export interface SignedRequest {
  readonly headers: Record<string, string>
  /** Returns the value of BODY_TRAILER for the digest of the streamed body; null if the headers contain the digest. */
  readonly trailerOf: ((body: Hash) => string) | null
}

/**
 * Sign a request with the key of a controller. The key itself is never sent, and the signature is valid only for this request: its method,
 * target, caller and body, once, for a minute.
 */
export function signRequest(
  internalKey: string,
  { method, target, caller = ITSELF, body = null }: InternalRequest,
): SignedRequest {
  const id = `${Date.now()}.${randomUUID()}`
  const isStream = body !== null && !Buffer.isBuffer(body)
  const digest = isStream ? IN_TRAILER : digestOf(body)
  const callerText = Buffer.from(JSON.stringify(caller)).toString('base64url')
  const mac = signatureOf(internalKey, [id, method, target, callerText, digest])
  return {
    headers: { [CALLER_HEADER]: callerText, [SIGNATURE_HEADER]: `${id}.${digest}.${mac}` },
    trailerOf: isStream ? (hash) => signatureOf(internalKey, [id, hash.digest('base64url')]) : null,
  }
}

/** The part of a request that the guard of the controller reads. */
type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'trailers'>

/** The controller's side: recognizes requests that another process of the service has admitted. */
export class InternalRequests {
  readonly #used = new SingleUse(2 * MAX_AGE_MILLISECONDS)
  readonly #bodies = new WeakMap<ReceivedRequest, (body: Hash) => boolean>()

  constructor(
    private readonly internalKey: string,
    private readonly log?: Pick<FastifyBaseLogger, 'warn'>,
  ) {}

  /** @returns null for a request of any other sender; its body still has to pass `checkBody`. */
  callerOf(request: ReceivedRequest): Caller | null {
    const { [CALLER_HEADER]: callerText, [SIGNATURE_HEADER]: signature } = request.headers
    if (typeof signature !== 'string' || typeof callerText !== 'string') return null
    const [time = '', unique = '', digest = '', mac = ''] = signature.split('.')
    const id = `${time}.${unique}`
    const { method = '', url = '' } = request
    if (!sameToken(mac, signatureOf(this.internalKey, [id, method, url, callerText, digest]))) return null
    if (!this.#isRecent(Number(time)) || !this.#used.take(id)) return null
    this.#bodies.set(request, (body) => {
      const actual = body.digest('base64url')
      if (digest !== IN_TRAILER) return actual === digest
      const trailer = request.trailers[BODY_TRAILER] ?? ''
      return sameToken(trailer, signatureOf(this.internalKey, [id, actual]))
    })
    return JSON.parse(Buffer.from(callerText, 'base64url').toString('utf8')) as Caller
  }

  /**
   * The body of a request that `callerOf` accepted; it ends with an error unless it is the signed body.
   * @throws AppError UNAUTHORIZED if a signed body is missing.
   */
  checkBody(request: ReceivedRequest, payload: Readable): Readable {
    const isSigned = this.#bodies.get(request)
    if (!isSigned) return payload
    const hash = createHash('sha256')
    if (!hasBody(request.headers)) {
      if (!isSigned(hash)) throw otherBody()
      return payload
    }
    const checked = new CountingTransform({
      transform(piece: Buffer, _encoding, done) {
        hash.update(piece)
        this.receivedEncodedLength += piece.length
        done(null, piece)
      },
      flush: (done) => done(isSigned(hash) ? null : otherBody()),
    })
    payload.once('error', (error) => checked.destroy(error))
    payload.once('close', () => {
      if (!payload.readableEnded) checked.destroy(new Error('the connection broke'))
    })
    return payload.pipe(checked)
  }

  #isRecent(time: number): boolean {
    const difference = Date.now() - time
    if (Math.abs(difference) <= MAX_AGE_MILLISECONDS) return true
    this.log?.warn(
      { seconds: Math.round(difference / 1000) },
      'the clock of another process of the service differs by more than a minute; its requests are rejected',
    )
    return false
  }
}

/** Fastify compares this with the Content-Length. */
class CountingTransform extends Transform {
  receivedEncodedLength = 0

  constructor(options: {
    readonly transform: (
      this: CountingTransform,
      piece: Buffer,
      encoding: BufferEncoding,
      done: (error: Error | null, piece?: Buffer) => void,
    ) => void
    readonly flush: (done: (error: Error | null) => void) => void
  }) {
    super(options as ConstructorParameters<typeof Transform>[0])
  }
}

/** Unambiguous: no field contains a line break. */
function signatureOf(key: string, fields: readonly string[]): string {
  return createHmac('sha256', key).update(fields.join('\n')).digest('base64url')
}

function digestOf(body: Buffer | null): string {
  return createHash('sha256')
    .update(body ?? '')
    .digest('base64url')
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function otherBody(): AppError {
  return new AppError('UNAUTHORIZED', phrase('signature_differs'))
}

/** Caller of requests that a process makes for itself: it may read everything that any user may read. */
const ITSELF: Caller = {
  actor: { user: SERVICE_USER, role: 'read', token_id: null, identifiers: false },
  address: '',
}
