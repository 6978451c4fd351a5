import { isTerminalMessage, LIMITS } from '@medloom/contracts'
import { sleep } from '../concurrency/sleep.js'
import { TimeSlicer } from '../concurrency/time-slicer.js'
import { Timer } from '../concurrency/timer.js'
import { FAN_OUT_LONGEST_PAUSE_MILLISECONDS, FAN_OUT_RETRY_MILLISECONDS } from '../durations.js'

/** A follower of a job that has received everything up to `cursor`. */
export interface Follower {
  /** seq of the last message that was passed to the connection. */
  cursor: number
  /** Bytes that the client has not received yet. */
  buffered(): number
  /** Several messages at once cost little more than one. */
  send(messages: readonly Buffer[]): void
  close(code: number): void
}

/** Messages of jobs and of workflows. */
export interface Message {
  readonly type: string
  readonly seq: number
  /** For workflows: the node of the message; null: all nodes. */
  readonly node?: string | null
}

/** Followers of a job that are served per step of work. */
const CHUNK = 50
/** Maximum work of all channels together between two turns of the event loop, however many jobs have messages at once. */
const MOST_MILLISECONDS = 5
/** Above this limit, a connection is slow: it gets only the newest progress. */
const SLOW_BYTES = 64 * 1024
const SHORT_PASS_MILLISECONDS = 10

/**
 * Sends live messages of all jobs (or workflows) to all their followers. Each message is serialized once. A follower that is fast enough
 * gets every message; a slow one gets every message except superseded progress; one that exceeds the bounded buffer is closed with 1013 and
 * reconnects with `since`.
 */
export class FanOut {
  readonly #channels = new Map<string, Channel>()
  readonly #slicer = new TimeSlicer(MOST_MILLISECONDS)

  publish(jobId: string, messages: readonly Message[]): void {
    this.#channels.get(jobId)?.publish(messages)
  }

  /** Returns true if a channel has watchers. */
  isWatched(jobId: string): boolean {
    return this.#channels.has(jobId)
  }

  /**
   * Watch a job. The caller reads earlier messages from the database; `join` then succeeds as soon as there is no gap between those and the
   * live messages. `leave` ends both.
   */
  watch(jobId: string, follower: Follower): { join: () => boolean; leave: () => void } {
    const channel = this.#channels.get(jobId) ?? new Channel(this.#slicer)
    this.#channels.set(jobId, channel)
    channel.watchers += 1
    let watching = true
    return {
      join: () => channel.join(follower),
      leave: () => {
        if (!watching) return
        watching = false
        channel.leave(follower)
        channel.watchers -= 1
        if (channel.watchers === 0) this.#channels.delete(jobId)
      },
    }
  }
}

interface Entry {
  readonly seq: number
  readonly bytes: Buffer
  /** Job or node of a progress message; null: the message is not progress. */
  readonly progressOf: string | null
  readonly terminal: boolean
}

class Channel {
  watchers = 0
  readonly #followers = new Set<Follower>()
  /** Messages that at least one follower has not received, oldest first; shared by all, so that a slow follower needs only a number. */
  #entries: Entry[] = []
  #lastSeq = 0
  #serving = false
  readonly #retry = new Timer(() => this.#serve())

  constructor(private readonly slicer: TimeSlicer) {}

  publish(messages: readonly Message[]): void {
    for (const message of messages) {
      // Published again by a caller that did not know that it was already published.
      if (message.seq <= this.#lastSeq) continue
      this.#lastSeq = message.seq
      if (this.#followers.size === 0) continue
      this.#entries.push({
        seq: message.seq,
        bytes: Buffer.from(JSON.stringify(message)),
        progressOf: message.type === 'progress' ? (message.node ?? '') : null,
        terminal: isTerminalMessage(message as Parameters<typeof isTerminalMessage>[0]),
      })
    }
    void this.#serve()
  }

  /** False when messages were published that `follower` has not read: it continues reading and tries again. */
  join(follower: Follower): boolean {
    if (this.#lastSeq > follower.cursor) return false
    this.#followers.add(follower)
    return true
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
    if (this.#followers.size > 0) return
    this.#entries = []
    this.#retry.stop()
  }

  /** Passes over all followers until each has received everything, or is slow. Messages that arrive meanwhile are sent in the next pass. */
  async #serve(): Promise<void> {
    if (this.#serving) return
    this.#serving = true
    try {
      for (let served = 0; served < this.#lastSeq && this.#entries.length > 0; ) {
        await this.slicer.next()
        served = this.#lastSeq
        const began = performance.now()
        await this.#pass()
        await pause(performance.now() - began)
      }
    } finally {
      this.#serving = false
    }
    if (this.#entries.length > 0 && !this.#retry.isRunning) this.#retry.start(FAN_OUT_RETRY_MILLISECONDS)
  }

  async #pass(): Promise<void> {
    const upTo = this.#lastSeq
    let count = 0
    for (const follower of [...this.#followers]) {
      if (this.#followers.has(follower)) this.#deliver(follower)
      if (++count % CHUNK === 0) await this.slicer.next()
    }
    let oldest = this.#lastSeq
    for (const { cursor } of this.#followers) oldest = Math.min(oldest, cursor)
    const lacking = this.#entries.filter((entry) => entry.seq > oldest)
    // Followers without these messages are slow by now, and slow followers skip superseded progress.
    this.#entries = [
      ...withoutSuperseded(lacking.filter(({ seq }) => seq <= upTo)),
      ...lacking.filter(({ seq }) => seq > upTo),
    ]
  }

  #deliver(follower: Follower): void {
    const lacking = this.#entries.slice(firstAfter(this.#entries, follower.cursor))
    const last = lacking.at(-1)
    if (!last) return
    const buffered = follower.buffered()
    if (buffered > SLOW_BYTES) {
      const bytes = withoutSuperseded(lacking).reduce((sum, entry) => sum + entry.bytes.length, buffered)
      if (bytes > LIMITS.socket_buffer_bytes) {
        this.leave(follower)
        follower.close(1013)
      }
      return
    }
    follower.send(lacking.map((entry) => entry.bytes))
    follower.cursor = last.seq
    if (last.terminal) {
      this.leave(follower)
      follower.close(1000)
    }
  }
}

/**
 * Pauses for as long as the pass took: fan-out to many followers takes at most half of the service's time, and messages published meanwhile
 * are sent as one write per follower. Few followers are served without a pause.
 */
async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > SHORT_PASS_MILLISECONDS)
    await sleep(Math.min(milliseconds, FAN_OUT_LONGEST_PAUSE_MILLISECONDS))
}

/** All entries except progress that was superseded by newer progress of the same job or node. */
function withoutSuperseded(entries: readonly Entry[]): Entry[] {
  const newest = new Map(entries.map((entry) => [entry.progressOf, entry.seq]))
  return entries.filter(({ progressOf, seq }) => progressOf === null || newest.get(progressOf) === seq)
}

/** Entries are ordered by seq; most followers need only the last. */
function firstAfter(entries: readonly Entry[], cursor: number): number {
  let index = entries.length
  while (index > 0 && (entries[index - 1]?.seq ?? 0) > cursor) index -= 1
  return index
}
