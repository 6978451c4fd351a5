import type { Readable } from 'node:stream'
import {
  after,
  atPlace,
  LIMITS,
  messageOf,
  type Phrase,
  phrase,
  ROUTES,
  type RouteDeclaration,
} from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'

/** Bodies are JSON, except on routes that accept bytes, which arrive as a stream. An empty body counts as no body. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJsonBody(body, mostValues(request)),
  )
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, body: Readable) => body)
}

function mostValues({ routeOptions }: FastifyRequest): number {
  const routes: Readonly<Record<string, RouteDeclaration>> = ROUTES
  return routes[routeOptions.config.operation ?? '']?.bodyValues ?? LIMITS.body_values
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * @throws AppError INVALID_JSON (not UTF-8, not JSON), PAYLOAD_TOO_DEEP, PAYLOAD_TOO_LARGE (too many values), INVALID_REQUEST for keys that
 * would modify a prototype.
 */
export function parseJsonBody(body: Buffer, mostValues: number = LIMITS.body_values): unknown {
  let text: string
  try {
    text = UTF8.decode(body)
  } catch {
    throw new AppError('INVALID_JSON', phrase('body_not_utf8'))
  }
  checkSize(text, mostValues)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('INVALID_JSON', [phrase('body_not_json'), ...position(error as Error, text)])
  }
  refusePrototypeKeys(value, '')
  return value
}

/** Counts brackets, commas and colons outside strings before parsing, so that no parser or validator recurses too deep or runs too long. */
function checkSize(text: string, mostValues: number): void {
  /** By depth: number of keys of the open object. */
  const keys = [0]
  let depth = 0
  let values = 1
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === ',') values++
    else if (character === ':') {
      keys[depth] = (keys[depth] ?? 0) + 1
      if ((keys[depth] ?? 0) > LIMITS.body_keys)
        throw new AppError('PAYLOAD_TOO_LARGE', phrase('body_keys_above_limit', { limit: LIMITS.body_keys }))
    } else if (character === '{' || character === '[') {
      values++
      keys[++depth] = 0
      if (depth > LIMITS.body_depth)
        throw new AppError('PAYLOAD_TOO_DEEP', phrase('body_too_deep', { limit: LIMITS.body_depth }))
    } else if (character === '}' || character === ']') depth--
    if (values > mostValues)
      throw new AppError('PAYLOAD_TOO_LARGE', phrase('body_values_above_limit', { limit: mostValues }))
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
        atPlace(path.slice(0, 200), phrase('key_not_allowed')),
        phrase('remove_body_key'),
        [{ path: path.slice(0, 200), code: 'UNKNOWN_FIELD', ...messageOf(phrase('key_not_allowed')) }],
      )
    refusePrototypeKeys(inner, path)
  }
}

/** The message of the JavaScript engine quotes the body, which may contain patient data; only the position is kept. */
function position(error: Error, text: string): Phrase[] {
  const offset = /position (\d+)/.exec(error.message)?.[1]
  if (offset === undefined) return []
  const before = text.slice(0, Number(offset)).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return [after('space', phrase('at_line_and_column', { line: before.length, column }))]
}
