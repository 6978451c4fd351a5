import { type FSWatcher, watch } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { Pace } from '../../concurrency/pace.js'
import type { EventChunk, EventWatch } from './run-exchange.js'

export const CHUNK_BYTES = 1024 * 1024
/** Above this a line is no event. Trainers put a long event into a file of its own; those of earlier versions do not. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * The whole lines that follow `offset`, about a mebibyte at most, or one line that is longer; null when there is none yet. A line that
 * still lacks its end waits. One of more than `longest` bytes cannot be an event: it is given in pieces, to be skipped, so that the tail
 * gets on.
 */
export async function readChunk(
  path: string,
  offset: number,
  limit = CHUNK_BYTES,
  longest = MAX_LINE_BYTES,
): Promise<EventChunk | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  try {
    const { size } = await file.stat()
    if (size <= offset) return null
    const chunk = await nextOf(file, offset, { size, limit, longest })
    return chunk && chunk.end < size ? { ...chunk, more: true } : chunk
  } finally {
    await file.close()
  }
}

async function nextOf(
  file: FileHandle,
  offset: number,
  { size, limit, longest }: { readonly size: number; readonly limit: number; readonly longest: number },
): Promise<EventChunk | null> {
  const chunk = await linesFrom(file, offset, Math.min(limit, size - offset))
  if (chunk || size - offset < limit) return chunk
  return (
    (await linesFrom(file, offset, Math.min(longest, size - offset))) ??
    (size - offset < longest ? null : await pieceFrom(file, offset, longest))
  )
}

/** The lines that end within `length` bytes; null without one. Of more than a chunk, the first alone. */
async function linesFrom(file: FileHandle, offset: number, length: number): Promise<EventChunk | null> {
  const bytes = await read(file, offset, length)
  const end = (length > CHUNK_BYTES ? bytes.indexOf(0x0a) : bytes.lastIndexOf(0x0a)) + 1
  if (end === 0) return null
  return { start: offset, end: offset + end, lines: bytes.toString('utf8', 0, end - 1).split('\n') }
}

async function pieceFrom(file: FileHandle, offset: number, length: number): Promise<EventChunk> {
  const bytes = await read(file, offset, length)
  return { start: offset, end: offset + bytes.length, lines: [bytes.toString('utf8')] }
}

async function read(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}

/** Of all tails together. A thousand trainings are looked at once a second each, and each look finds what came in between. */
const LOOKS = new Pace(1000)
const SHORTEST_REST_MILLISECONDS = 10

/**
 * Calls `look` when the file may have grown: when the system notifies of a change, and every `pollMilliseconds`, since it does not
 * always notify. Never twice at a time.
 */
export class EventTail implements EventWatch {
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #again = false
  #closed = false
  readonly #leave: () => void
  #endRest: () => void = () => undefined

  constructor(
    path: string,
    readonly look: () => Promise<void>,
    pollMilliseconds = 400,
    private readonly pace: Pick<Pace, 'join' | 'milliseconds'> = LOOKS,
  ) {
    this.#leave = pace.join()
    this.#timer = setInterval(() => void this.poke(), pollMilliseconds)
    this.#timer.unref()
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) void this.poke()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // This file system cannot be watched: polling is enough.
    }
    void this.poke()
  }

  /** Look now; resolves once everything that stood in the file at this moment was looked at. */
  poke(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#again = true
    this.#looking ??= this.#run().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** No look begins after this. */
  async close(): Promise<void> {
    this.#closed = true
    this.#leave()
    this.#endRest()
    clearInterval(this.#timer)
    this.#watcher?.close()
    await this.#looking
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      await this.look()
      await this.#rest()
    }
  }

  async #rest(): Promise<void> {
    const { milliseconds } = this.pace
    if (milliseconds < SHORTEST_REST_MILLISECONDS || this.#closed) return
    await new Promise<void>((end) => {
      const timer = setTimeout(end, milliseconds).unref()
      this.#endRest = () => {
        clearTimeout(timer)
        end()
      }
    })
  }
}
