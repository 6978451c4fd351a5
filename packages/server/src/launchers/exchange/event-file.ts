import { type FSWatcher, watch } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { EventChunk, EventWatch } from './run-exchange.js'

export const CHUNK_BYTES = 1024 * 1024

/**
 * The whole lines that follow `offset`, about a mebibyte at most; null when there is none yet. A line that still lacks its end
 * waits. One that fills a whole chunk cannot be an event: it is given as it is, to be skipped, so that the tail gets on.
 */
export async function readChunk(
  path: string,
  offset: number,
  limit = CHUNK_BYTES,
): Promise<EventChunk | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  try {
    const { size } = await file.stat()
    if (size <= offset) return null
    return await linesFrom(file, offset, Math.min(limit, size - offset), limit)
  } finally {
    await file.close()
  }
}

async function linesFrom(
  file: FileHandle,
  offset: number,
  wanted: number,
  limit: number,
): Promise<EventChunk | null> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset)
  const bytes = buffer.subarray(0, bytesRead)
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end > 0)
    return { start: offset, end: offset + end, lines: bytes.toString('utf8', 0, end - 1).split('\n') }
  return bytesRead < limit
    ? null
    : { start: offset, end: offset + bytesRead, lines: [bytes.toString('utf8')] }
}

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

  constructor(
    path: string,
    readonly look: () => Promise<void>,
    pollMilliseconds = 400,
  ) {
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
    clearInterval(this.#timer)
    this.#watcher?.close()
    await this.#looking
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      await this.look()
    }
  }
}
