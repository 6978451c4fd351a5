import { FanOut, type Follower, type Message } from './fan-out.js'

type Unnumbered<M> = M extends Message ? Omit<M, 'seq' | 'timestamp'> : never

/**
 * Live messages about items that have a snapshot. Sequence numbers of each item have no gaps while the service runs; a snapshot contains
 * the latest one.
 */
export class LiveMessages<Delta extends Message> {
  readonly #fanOut = new FanOut()
  readonly #last = new Map<string, number>()
  readonly #recent = new Map<string, Message[]>()

  /**
   * @param idOf returns the id of the item of a message.
   * @param maxRecent number of the newest messages per item that are stored for clients that reconnect.
   */
  constructor(
    readonly idOf: (message: Unnumbered<Delta>) => string,
    private readonly maxRecent = 0,
  ) {}

  publish(message: Unnumbered<Delta>): void {
    const id = this.idOf(message)
    const seq = this.seq(id) + 1
    this.#last.set(id, seq)
    if (this.maxRecent === 0 && !this.watched(id)) return
    const numbered = {
      ...(message as object),
      seq,
      timestamp: new Date().toISOString(),
    } as unknown as Message
    if (this.maxRecent > 0) this.#store(id, numbered)
    this.#fanOut.publish(id, [numbered])
  }

  #store(id: string, message: Message): void {
    const messages = this.#recent.get(id) ?? []
    this.#recent.set(id, messages)
    messages.push(message)
    // Done rarely, since it moves the following elements.
    if (messages.length > 2 * this.maxRecent) messages.splice(0, messages.length - this.maxRecent)
  }

  /** Messages after message `since`, in order; null if some of them are no longer stored. */
  after(id: string, since: number): readonly Message[] | null {
    if (since === this.seq(id)) return []
    const messages = this.#recent.get(id) ?? []
    const first = messages[0]?.seq
    if (first === undefined || since < first - 1 || since > this.seq(id)) return null
    return messages.slice(since - first + 1)
  }

  /** Creates a gap: stored messages cannot be used across it. */
  forget(id: string): void {
    this.#recent.delete(id)
    this.#last.set(id, this.seq(id) + 1)
  }

  watched(id: string): boolean {
    return this.#fanOut.isWatched(id)
  }

  /** Number of the latest message. */
  seq(id: string): number {
    return this.#last.get(id) ?? 0
  }

  watch(id: string, follower: Follower) {
    return this.#fanOut.watch(id, follower)
  }
}
