import type { yieldIfDue } from '../concurrency/event-loop.js'

/** Maximum number of bytes that are parsed at once. */
const PIECE = 64 * 1024
/** Number of bytes that are read between two pauses. */
const READ = 0x10000

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const WHITESPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

export interface ParseOptions {
  /** Called between pieces; returns a promise while other work should be done. */
  readonly pause: typeof yieldIfDue
  readonly piece?: number
}

export class NotJson extends Error {
  /** @param offset byte at which the mistake was found; undefined: the text ends too early */
  constructor(readonly offset: number | undefined) {
    super('not JSON')
  }
}

/** A fatal decoder: invalid UTF-8 is an error. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The result of JSON.parse. Long objects and lists are parsed a few entries at a time, so that the service answers other requests in between.
 * @throws NotJson, TypeError for bytes that are not UTF-8
 */
export function parseInPieces(bytes: Buffer, options: ParseOptions): Promise<unknown> {
  return new PieceParser(bytes, options).value(0, bytes.length)
}

class PieceParser {
  readonly #pause: ParseOptions['pause']
  readonly #piece: number

  constructor(
    private readonly bytes: Buffer,
    { pause, piece = PIECE }: ParseOptions,
  ) {
    this.#pause = pause
    this.#piece = piece
  }

  /** The value in a range of bytes, which may have whitespace around it. */
  async value(first: number, last: number): Promise<unknown> {
    const [start, end] = this.#trimmed(first, last)
    const opening = this.bytes[start]
    const closing = opening === OPEN_LIST ? CLOSE_LIST : opening === OPEN_OBJECT ? CLOSE_OBJECT : undefined
    // A long text or number has no entries.
    if (end - start <= this.#piece || closing === undefined) return this.#parse(start, end)
    if (this.bytes[end - 1] !== closing) throw new NotJson(undefined)
    const value = opening === OPEN_LIST ? new ListBuilder() : new ObjectBuilder()
    await this.#entries(start + 1, end - 1, value)
    return value.built
  }

  /** Adds the entries between two brackets: many short ones together, a long one by itself. */
  async #entries(start: number, end: number, into: Builder): Promise<void> {
    let [first, entry, depth, inString] = [start, start, 0, false]
    for (let [i, due] = [start, start]; i <= end; i++) {
      if (i >= due) {
        await this.#pause()
        due = i + READ
      }
      const byte = this.bytes[i]
      if (i === end || (byte === COMMA && depth === 0 && !inString)) {
        if (i - first > this.#piece && entry > first) {
          this.#addShort(first, entry - 1, into)
          first = entry
        }
        if (i - first > this.#piece) {
          await this.#addLong(first, i, into)
          first = i + 1
        }
        entry = i + 1
      } else if (inString) {
        if (byte === BACKSLASH) i++
        else if (byte === QUOTE) inString = false
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
      else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --depth < 0) throw new NotJson(i)
    }
    if (inString || depth !== 0) throw new NotJson(undefined)
    // Nothing but whitespace is between the brackets of an empty value, and never after a comma.
    if (first <= end && (first > start || !this.#isBlank(first, end))) this.#addShort(first, end, into)
  }

  #addShort(start: number, end: number, into: Builder): void {
    if (this.#isBlank(start, end)) throw new NotJson(start)
    into.addAll(this.#parse(start, end, into.brackets))
  }

  async #addLong(first: number, last: number, into: Builder): Promise<void> {
    if (into instanceof ListBuilder) return into.add(await this.value(first, last))
    const [start] = this.#trimmed(first, last)
    if (this.bytes[start] !== QUOTE) throw new NotJson(start)
    let end = start + 1
    while (end < last && this.bytes[end] !== QUOTE) end += this.bytes[end] === BACKSLASH ? 2 : 1
    const [colon] = this.#trimmed(end + 1, last)
    if (this.bytes[colon] !== COLON) throw new NotJson(colon)
    into.add(this.#parse(start, end + 1) as string, await this.value(colon + 1, last))
  }

  #parse(start: number, end: number, [opening, closing]: readonly [string, string] = ['', '']): unknown {
    const text = UTF8.decode(this.bytes.subarray(start, end))
    try {
      return JSON.parse(opening + text + closing)
    } catch (error) {
      const position = /position (\d+)/.exec((error as Error).message)?.[1]
      if (position === undefined) throw new NotJson(undefined)
      throw new NotJson(start + Buffer.byteLength(text.slice(0, Number(position) - opening.length)))
    }
  }

  #trimmed(first: number, last: number): [start: number, end: number] {
    let [start, end] = [first, last]
    while (start < end && WHITESPACE.has(this.bytes[start])) start++
    while (end > start && WHITESPACE.has(this.bytes[end - 1])) end--
    return [start, end]
  }

  #isBlank(first: number, last: number): boolean {
    const [start, end] = this.#trimmed(first, last)
    return start === end
  }
}

type Builder = ListBuilder | ObjectBuilder

class ListBuilder {
  readonly brackets = ['[', ']'] as const
  readonly built: unknown[] = []

  add(value: unknown): void {
    this.built.push(value)
  }

  addAll(values: unknown): void {
    for (const value of values as unknown[]) this.built.push(value)
  }
}

class ObjectBuilder {
  readonly brackets = ['{', '}'] as const
  readonly built: Record<string, unknown> = {}

  /** Defined, not assigned: "__proto__" is a key like any other here, and refused later. */
  add(key: string, value: unknown): void {
    const attributes = { value, enumerable: true, configurable: true, writable: true }
    if (key === '__proto__') Object.defineProperty(this.built, key, attributes)
    else this.built[key] = value
  }

  addAll(values: unknown): void {
    for (const [key, value] of Object.entries(values as object)) this.add(key, value)
  }
}
