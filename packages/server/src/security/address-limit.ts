const WINDOW_MILLISECONDS = 60_000
/** Maximum number of remembered addresses; the oldest is removed for a new one. */
const MAX_ADDRESSES = 1000

/** Limits how often a caller may do something per minute, by address. */
export class AddressLimit {
  readonly #counts = new Map<string, { count: number; since: number }>()

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
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined && this.#counts.size >= MAX_ADDRESSES) this.#counts.delete(oldest)
    this.#counts.set(address, { count: 1, since: now })
  }
}
