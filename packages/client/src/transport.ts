import type { HttpMethod } from '@medloom/contracts'

/** Request of a transport. The core uses the global fetch; the Node entry replaces it (see node.ts). */
export interface TransportRequest {
  readonly method: HttpMethod
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  readonly signal: AbortSignal
}
export interface TransportResponse {
  readonly status: number
  readonly bytes: Uint8Array
}
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** A response whose bytes are read as they arrive. */
export interface StreamResponse {
  readonly status: number
  /** Null: unknown. */
  readonly sizeBytes: number | null
  readonly body: AsyncIterable<Uint8Array>
}
export type StreamTransport = (request: TransportRequest) => Promise<StreamResponse>

/** The part of a WebSocket that `watch` needs; browsers, Node 22 and ws all have it. */
export interface Socket {
  onopen: unknown
  onmessage: unknown
  onclose: unknown
  onerror: unknown
  close(): void
}
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => Socket

export const fetchTransport: Transport = async (request) => {
  const response = await send(request)
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
}

export const fetchStream: StreamTransport = async (request) => {
  const { status, headers, body } = await send(request)
  return { status, sizeBytes: sizeOf(headers.get('content-length')), body: piecesOf(body) }
}

function send({ url, body, ...init }: TransportRequest): Promise<Response> {
  return fetch(url, { ...init, ...(body === undefined ? {} : { body }), redirect: 'error' })
}

/** Value of the header content-length; null: unknown. */
export function sizeOf(header: string | null | undefined): number | null {
  return header === null || header === undefined || header === '' ? null : Number(header)
}

/** Not all browsers support iteration over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader()
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {}
      if (done || !value) return
      yield value
    }
  } finally {
    await reader?.cancel()
  }
}

/** The WebSocket of the platform; it cannot send headers, so a service with a token needs the one of node.ts. */
export const openGlobalSocket: OpenSocket = (url) => {
  const WebSocket = (globalThis as { WebSocket?: new (url: string) => Socket }).WebSocket
  if (!WebSocket)
    throw new Error('This platform has no WebSocket; import MedloomClient from "@medloom/client/node".')
  return new WebSocket(url)
}
