import type { HttpMethod } from '@medloom/contracts'

/** How a request is sent. The core uses the global fetch; the Node entry replaces it (see node.ts). */
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

/** The part of a WebSocket that `watch` needs; browsers, Node 22 and ws all have it. */
export interface Socket {
  onopen: unknown
  onmessage: unknown
  onclose: unknown
  onerror: unknown
  close(): void
}
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => Socket

export const fetchTransport: Transport = async ({ url, body, ...init }) => {
  const response = await fetch(url, { ...init, ...(body === undefined ? {} : { body }), redirect: 'error' })
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
}

/** The WebSocket of the platform; it cannot send headers, so a service with a token needs the one of node.ts. */
export const openGlobalSocket: OpenSocket = (url) => {
  const WebSocket = (globalThis as { WebSocket?: new (url: string) => Socket }).WebSocket
  if (!WebSocket)
    throw new Error('This platform has no WebSocket; import MedloomClient from "@medloom/client/node".')
  return new WebSocket(url)
}
