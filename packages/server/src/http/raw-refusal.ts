import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { errorBody } from './errors.js'

/** Refuses with 400 and an error body input that never becomes a request of the router, and closes the connection. */
export function refuseRaw(
  socket: Socket,
  { message, details, headers = {} }: { message: Phrase; details: Phrase; headers?: Record<string, string> },
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(errorBody(new AppError('INVALID_REQUEST', message, details), randomUUID()))
  const lines = Object.entries({
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
