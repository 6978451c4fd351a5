/** Number of attempts and successes of each promise: the table at the end of every soak. */
export class Promises {
  readonly #rows = new Map<string, { tried: number; kept: number }>()
  readonly #notTried = new Map<string, string>()

  /** @throws Error if the promise is broken, after it was counted. */
  check(promise: string, holds: boolean, found = ''): void {
    this.add(promise, 1, holds ? 1 : 0)
    if (!holds) throw new Error(`broken promise: ${promise}${found ? `; ${found}` : ''}`)
  }

  /** Adds attempts and successes counted elsewhere. */
  add(promise: string, tried: number, kept: number): void {
    const row = this.#rows.get(promise) ?? { tried: 0, kept: 0 }
    this.#rows.set(promise, { tried: row.tried + tried, kept: row.kept + kept })
  }

  /** This machine does not support the fault. The row states it, and counts nothing. */
  notTried(promise: string, why: string): void {
    this.#notTried.set(promise, why)
  }

  get broken(): number {
    return [...this.#rows.values()].reduce((sum, { tried, kept }) => sum + tried - kept, 0)
  }

  /** Number of times that the promise was kept. */
  kept(promise: string): number {
    return this.#rows.get(promise)?.kept ?? 0
  }

  table(): string {
    const rows = [...this.#rows].map(([promise, { tried, kept }]) => [promise, String(tried), String(kept)])
    const width = Math.max(8, ...rows.map(([promise = '']) => promise.length))
    const line = ([promise = '', tried = '', kept = '']: string[]) =>
      `${promise.padEnd(width)}  ${tried.padStart(7)}  ${kept.padStart(7)}`
    return [
      line(['promise', 'tried', 'kept']),
      ...rows.map(line),
      ...[...this.#notTried].map(([promise, why]) => `${promise}: NOT TRIED, ${why}`),
    ].join('\n')
  }
}
