import { LIMITS } from '@medloom/contracts'

const WINDOW_MILLISECONDS = 60_000
/** Addresses that are remembered at a time; the oldest is forgotten for a new one. */
const MAX_ADDRESSES = 1000

/** Failed logins by the address of the caller, so that nobody tries many tokens. Programs that guess are slowed, none is locked out. */
export class FailedLogins {
  readonly #failures = new Map<string, { count: number; since: number }>()

  /** Whether this address has failed so often that its next login is not even looked at. */
  isLimited(address: string, now = Date.now()): boolean {
    const known = this.#failures.get(address)
    if (known && now - known.since >= WINDOW_MILLISECONDS) this.#failures.delete(address)
    return (this.#failures.get(address)?.count ?? 0) >= LIMITS.failed_logins_per_minute
  }

  add(address: string, now = Date.now()): void {
    const known = this.#failures.get(address)
    if (known) {
      known.count++
      return
    }
    const [oldest] = this.#failures.keys()
    if (oldest !== undefined && this.#failures.size >= MAX_ADDRESSES) this.#failures.delete(oldest)
    this.#failures.set(address, { count: 1, since: now })
  }
}
