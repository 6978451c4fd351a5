import type { Readable } from 'node:stream'
import { LIMITS } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.js'

/** Bodies are JSON, but for those of routes that take bytes, which arrive as a stream. An empty body is no body. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => (body.length === 0 ? undefined : parseJsonBody(body)),
  )
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, body: Readable) => body)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * @throws AppError INVALID_JSON (not UTF-8, not JSON), PAYLOAD_TOO_DEEP, INVALID_REQUEST for keys that would reach a prototype.
 */
export function parseJsonBody(body: Buffer): unknown {
  let text: string
  try {
    text = UTF8.decode(body)
  } catch {
    throw new AppError('INVALID_JSON', 'the body is not UTF-8 text')
  }
  checkDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('INVALID_JSON', `the body is not JSON${position(error as Error, text)}`)
  }
  refusePrototypeKeys(value, '')
  return value
}

/** Counts brackets outside strings before anything is parsed, so that no parser or validator recurses too deep. */
function checkDepth(text: string): void {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      if (++depth > LIMITS.body_depth)
        throw new AppError('PAYLOAD_TOO_DEEP', `the body is nested deeper than ${LIMITS.body_depth} levels`)
    } else if (character === '}' || character === ']') depth--
  }
}

/** `__proto__` and `constructor.prototype` are never data; they are refused, not dropped, because no accepted key is ignored. */
function refusePrototypeKeys(value: unknown, place: string): void {
  if (value === null || typeof value !== 'object') return
  for (const key of Object.keys(value)) {
    const path = place ? `${place}.${key}` : key
    const inner = (value as Record<string, unknown>)[key]
    const reachesPrototype =
      key === '__proto__' ||
      (key === 'constructor' &&
        inner !== null &&
        typeof inner === 'object' &&
        Object.hasOwn(inner, 'prototype'))
    if (reachesPrototype)
      throw new AppError(
        'INVALID_REQUEST',
        `${path.slice(0, 200)}: this key is not allowed`,
        'Remove this key from the body.',
        [{ path: path.slice(0, 200), code: 'UNKNOWN_FIELD', message: 'this key is not allowed' }],
      )
    refusePrototypeKeys(inner, path)
  }
}

/** The message of the JavaScript engine quotes the body, which may hold patient data; only the position is kept. */
function position(error: Error, text: string): string {
  const offset = /position (\d+)/.exec(error.message)?.[1]
  if (offset === undefined) return ''
  const before = text.slice(0, Number(offset)).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
