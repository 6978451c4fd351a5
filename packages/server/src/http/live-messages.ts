import { FanOut, type Follower, type Message } from '../training/socket/fan-out.js'

type Unnumbered<M> = M extends Message ? Omit<M, 'seq' | 'timestamp'> : never

/** Live messages about things that have a snapshot. Sequence numbers are dense for each while the service runs; a snapshot names the latest. */
export class LiveMessages<Delta extends Message> {
  readonly #fanOut = new FanOut()
  readonly #last = new Map<string, number>()
  readonly #kept = new Map<string, Message[]>()

  /**
   * @param idOf what a message is about.
   * @param keep so many of the newest messages about it are kept for those who come back.
   */
  constructor(
    readonly idOf: (message: Unnumbered<Delta>) => string,
    private readonly keep = 0,
  ) {}

  publish(message: Unnumbered<Delta>): void {
    const id = this.idOf(message)
    const seq = this.seq(id) + 1
    this.#last.set(id, seq)
    if (this.keep === 0 && !this.watched(id)) return
    const numbered = {
      ...(message as object),
      seq,
      timestamp: new Date().toISOString(),
    } as unknown as Message
    if (this.keep > 0) this.#keep(id, numbered)
    this.#fanOut.publish(id, [numbered])
  }

  #keep(id: string, message: Message): void {
    const kept = this.#kept.get(id) ?? []
    this.#kept.set(id, kept)
    kept.push(message)
    // Rarely, since what follows moves.
    if (kept.length > 2 * this.keep) kept.splice(0, kept.length - this.keep)
  }

  /** What follows message `since`, in order; null where not all of it is kept. */
  after(id: string, since: number): readonly Message[] | null {
    if (since === this.seq(id)) return []
    const kept = this.#kept.get(id) ?? []
    const first = kept[0]?.seq
    if (first === undefined || since < first - 1 || since > this.seq(id)) return null
    return kept.slice(since - first + 1)
  }

  /** There is a gap from here on: what was kept does not reach over it. */
  forget(id: string): void {
    this.#kept.delete(id)
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
