const WINDOW_MILLISECONDS = 60_000
/** Addresses that are remembered at a time; the oldest is forgotten for a new one. */
const MAX_ADDRESSES = 1000

/** Counts by the address of the caller, so that nobody does something often within a minute. */
export class AddressLimit {
  readonly #counts = new Map<string, { count: number; since: number }>()

  constructor(private readonly perMinute: number) {}

  /** Whether this address has as many as it may have. */
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
