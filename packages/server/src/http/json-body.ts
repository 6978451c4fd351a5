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
import { yieldIfDue } from '../concurrency/event-loop.js'
import { AppError } from '../errors.js'
import { NotJson, parseInPieces } from './parse-in-pieces.js'

/** Limits of a body, beyond its size in bytes. */
export interface BodyLimits {
  readonly values: number
  /** Keys of one object. */
  readonly keys: number
  readonly depth: number
}

/** Bodies are JSON, except on routes that accept bytes, which arrive as a stream. An empty body counts as no body. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJsonBody(body, limitsOf(request)),
  )
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, body: Readable) => body)
}

function limitsOf({ routeOptions }: FastifyRequest): BodyLimits {
  const routes: Readonly<Record<string, RouteDeclaration>> = ROUTES
  const route = routes[routeOptions.config.operation ?? '']
  return {
    values: route?.bodyValues ?? LIMITS.body_values,
    keys: route?.bodyKeys ?? LIMITS.body_keys,
    depth: route?.bodyDepth ?? LIMITS.body_depth,
  }
}

/** A byte order mark, which JSON may not have, and which decoders of UTF-8 ignore. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
/** Number of bytes or values that are checked between two pauses. */
const CHECKED = 10_000

/**
 * @param pause called between steps; returns a promise while other requests should be answered
 * @throws AppError INVALID_JSON (not UTF-8, not JSON), PAYLOAD_TOO_DEEP, PAYLOAD_TOO_LARGE (too many values), INVALID_REQUEST for keys that
 * would modify a prototype.
 */
export async function parseJsonBody(
  body: Buffer,
  limits: BodyLimits,
  pause: typeof yieldIfDue = yieldIfDue,
): Promise<unknown> {
  const isMarked = BYTE_ORDER_MARK.equals(body.subarray(0, BYTE_ORDER_MARK.length))
  const bytes = isMarked ? body.subarray(BYTE_ORDER_MARK.length) : body
  await checkSize(bytes, limits, pause)
  const value = await parseInPieces(bytes, { pause }).catch(async (error: unknown) => {
    if (error instanceof TypeError) throw new AppError('INVALID_JSON', phrase('body_not_utf8'))
    if (!(error instanceof NotJson)) throw error
    throw new AppError('INVALID_JSON', [phrase('body_not_json'), ...(await position(error, bytes, pause))])
  })
  await refusePrototypeKeys(value, pause)
  return value
}

const [QUOTE, COMMA, COLON, BACKSLASH] = Buffer.from('",:\\')
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}')

/** Counts brackets, commas and colons outside strings before parsing, so that no parser or validator recurses too deep or runs too long. */
async function checkSize(bytes: Buffer, limits: BodyLimits, pause: typeof yieldIfDue): Promise<void> {
  /** By depth: number of keys of the open object. */
  const keys = [0]
  let depth = 0
  let values = 1
  let inString = false
  for (let [i, due] = [0, CHECKED]; i < bytes.length; i++) {
    if (i >= due) {
      await pause()
      due = i + CHECKED
    }
    const byte = bytes[i]
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA) values++
    else if (byte === COLON) {
      keys[depth] = (keys[depth] ?? 0) + 1
      if ((keys[depth] ?? 0) > limits.keys)
        throw new AppError('PAYLOAD_TOO_LARGE', phrase('body_keys_above_limit', { limit: limits.keys }))
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values++
      keys[++depth] = 0
      if (depth > limits.depth)
        throw new AppError('PAYLOAD_TOO_DEEP', phrase('body_too_deep', { limit: limits.depth }))
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
    if (values > limits.values)
      throw new AppError('PAYLOAD_TOO_LARGE', phrase('body_values_above_limit', { limit: limits.values }))
  }
}

/** An object or a list whose values are being read. */
interface Opened {
  readonly value: Readonly<Record<string, unknown>>
  /** Null for a list. */
  readonly keys: readonly string[] | null
  readonly count: number
  next: number
}

/** `__proto__` and `constructor.prototype` are never data; they are refused, not dropped, because no accepted key is ignored. */
async function refusePrototypeKeys(root: unknown, pause: typeof yieldIfDue): Promise<void> {
  const open = [openedOf(root)].filter((opened) => opened !== null)
  for (let count = 1; open.length > 0; count++) {
    const opened = open.at(-1) as Opened
    if (opened.next === opened.count) {
      open.pop()
      continue
    }
    const key = keyAt(opened, opened.next++)
    const inner = opened.value[key]
    if (opened.keys && reachesPrototype(key, inner)) {
      const outer = open.slice(0, -1).map((parent) => keyAt(parent, parent.next - 1))
      throw prototypeKey([...outer, key].join('.').slice(0, 200))
    }
    const child = openedOf(inner)
    if (child) open.push(child)
    if (count % CHECKED === 0) await pause()
  }
}

function openedOf(value: unknown): Opened | null {
  if (value === null || typeof value !== 'object') return null
  const keys = Array.isArray(value) ? null : Object.keys(value)
  const count = Array.isArray(value) ? value.length : (keys?.length ?? 0)
  return { value: value as Record<string, unknown>, keys, count, next: 0 }
}

function keyAt({ keys }: Opened, index: number): string {
  return keys?.[index] ?? String(index)
}

function reachesPrototype(key: string, inner: unknown): boolean {
  if (key === '__proto__') return true
  return (
    key === 'constructor' && inner !== null && typeof inner === 'object' && Object.hasOwn(inner, 'prototype')
  )
}

function prototypeKey(path: string): AppError {
  const issue = { path, code: 'UNKNOWN_FIELD' as const, ...messageOf(phrase('key_not_allowed')) }
  const message = atPlace(path, phrase('key_not_allowed'))
  return new AppError('INVALID_REQUEST', message, phrase('remove_body_key'), [issue])
}

/** The message of the JavaScript engine quotes the body, which may contain patient data; only the position is kept. */
async function position({ offset }: NotJson, bytes: Buffer, pause: typeof yieldIfDue): Promise<Phrase[]> {
  if (offset === undefined) return []
  let line = 1
  let start = 0
  for (let i = 0; i < offset; i++) {
    if (i % CHECKED === 0) await pause()
    if (bytes[i] !== LINE_FEED) continue
    line++
    start = i + 1
  }
  const column = bytes.subarray(start, offset).toString().length + 1
  return [after('space', phrase('at_line_and_column', { line, column }))]
}

const LINE_FEED = 0x0a
