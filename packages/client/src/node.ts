import { createHash } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { WebSocket } from 'ws'
import { type ClientOptions, MedloomClient as CoreClient } from './client.js'
import type { IncrementalDigest } from './sha256.js'
import { type OpenSocket, type Socket, type StreamTransport, sizeOf, type Transport } from './transport.js'

export * from './index.js'

/**
 * The client for Node: sockets by ws, because Node 20 has none, and requests by node:http, because fetch in Node fails if a response takes
 * more than five minutes (an evaluation may).
 */
export class MedloomClient extends CoreClient {
  constructor(options: ClientOptions) {
    super({ transport: nodeTransport, openStream: nodeStream, openSocket, createDigest, ...options })
  }
}

const openSocket: OpenSocket = (url, headers) =>
  new WebSocket(url, { headers: { ...headers }, handshakeTimeout: 10_000 }) as unknown as Socket

const createDigest = (): IncrementalDigest => {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), end: () => hash.digest('hex') }
}

const nodeTransport: Transport = async (request) => {
  const { status, body } = await nodeStream(request)
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return { status, bytes: Buffer.concat(pieces) }
}

const nodeStream: StreamTransport = ({ method, url, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    // A new connection for each request: a reused one may belong to a service that was restarted since.
    const request = send(
      url,
      { method, headers: { ...headers, ...length }, signal, agent: false },
      (response) =>
        resolve({
          status: response.statusCode ?? 0,
          sizeBytes: sizeOf(response.headers['content-length']),
          body: response as AsyncIterable<Uint8Array>,
        }),
    )
    request.on('error', reject)
    request.end(body)
  })
