import { FanOut, type Follower, type Message } from '../training/socket/fan-out.js'

type Unnumbered<M> = M extends Message ? Omit<M, 'seq' | 'timestamp'> : never

/** Live messages about things that have a snapshot. Sequence numbers are dense for each while the service runs; a snapshot names the latest. */
export class LiveMessages<Delta extends Message> {
  readonly #fanOut = new FanOut()
  readonly #last = new Map<string, number>()

  /** @param idOf what a message is about. */
  constructor(readonly idOf: (message: Unnumbered<Delta>) => string) {}

  publish(message: Unnumbered<Delta>): void {
    const id = this.idOf(message)
    const seq = this.seq(id) + 1
    this.#last.set(id, seq)
    if (!this.#fanOut.isWatched(id)) return
    const numbered = { ...(message as object), seq, timestamp: new Date().toISOString() }
    this.#fanOut.publish(id, [numbered as unknown as Message])
  }

  /** Number of the latest message. */
  seq(id: string): number {
    return this.#last.get(id) ?? 0
  }

  watch(id: string, follower: Follower) {
    return this.#fanOut.watch(id, follower)
  }
}
