import { BoundedMap } from '../concurrency/bounded-map.js'

const WINDOW_MILLISECONDS = 60_000
/** Maximum number of remembered addresses; the oldest is removed for a new one. */
const MAX_ADDRESSES = 1000

/** Limits how often a caller may do something per minute, by address. */
export class AddressLimit {
  readonly #counts = new BoundedMap<string, { count: number; since: number }>(MAX_ADDRESSES)

  constructor(private readonly perMinute: number) {}

  /** Returns true if this address has reached the limit. */
  isLimited(address: string, now = Date.now()): boolean {
    const known = this.#counts.get(address)
    if (known && now - known.since >= WINDOW_MILLISECONDS) this.#counts.delete(address)
    return (this.#counts.get(address)?.count ?? 0) >= this.perMinute
  }

  add(address: string, now = Date.now()): void {
    const known = this.#counts.get(address)
    if (known) {
      known.count++
      return
    }
    this.#counts.set(address, { count: 1, since: now })
  }
}
