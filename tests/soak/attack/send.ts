import { request } from 'node:http'
import { connect } from 'node:net'
import { patient } from '../../testing/deadline.js'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** Empty if the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
}

/** One request on a new connection. */
export function send(
  url: string,
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: unknown } = {},
): Promise<Reply> {
  const content =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json'
  const sent = content === undefined ? headers : { 'content-type': type, ...headers }
  return new Promise((done, fail) => {
    const open = request(
      url + path,
      { method, headers: { ...sent, connection: 'close' }, agent: false },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', fail)
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString()
          done({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) })
        })
      },
    )
    open.on('error', fail)
    open.end(content as string | Buffer | undefined)
  })
}

/** Sends raw bytes and returns the status of the response; null: the connection was closed without one. */
export function sendBytes(url: string, head: readonly string[]): Promise<number | null> {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (piece) => {
      text += piece
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
      if (status === undefined) return
      socket.destroy()
      done(Number(status))
    })
    socket.on('error', fail)
    socket.on('close', () => done(null))
    socket.write(`${[...head, 'connection: close'].join('\r\n')}\r\n\r\n`)
  })
}

/** Maximum response time of other requests during an attack. Without the defenses, these attacks increased it to 6 s or more. */
export const MOST_MILLISECONDS = patient(3)

/** Sorted latencies in milliseconds of a cheap request that is repeated until `work` ends. */
export async function latenciesDuring(
  path: string,
  { url, headers }: { readonly url: string; readonly headers: Record<string, string> },
  work: Promise<unknown>,
) {
  let isOver = false
  const ended = work.then(
    () => undefined,
    (error: Error) => error,
  )
  void ended.then(() => {
    isOver = true
  })
  const found: number[] = []
  do {
    const began = performance.now()
    await send(url, 'GET', path, { headers })
    found.push(performance.now() - began)
  } while (!isOver)
  const error = await ended
  if (error) throw error
  return found.sort((a, b) => a - b)
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
