import type { Clock } from './clock.js'

/** Maximum lines per second and source; a node that trains an epoch per millisecond would otherwise flood the log and the socket. */
export const MAX_LINES = 20
const WINDOW = 1000

/** Passes a burst of lines and counts those beyond it. The newest line is never lost. */
export class LineLimit {
  private since = Number.NEGATIVE_INFINITY
  private count = 0
  private leftOut = 0
  private newest = ''

  constructor(
    private readonly clock: Clock,
    private readonly emit: (line: string) => void,
  ) {}

  push(line: string): void {
    const now = this.clock.now()
    if (now - this.since >= WINDOW) {
      this.flush()
      this.since = now
      this.count = 0
    }
    if (this.count < MAX_LINES) {
      this.count += 1
      this.emit(line)
    } else {
      this.leftOut += 1
      this.newest = line
    }
  }

  /** Reports the number of omitted lines, and emits the newest of them. */
  flush(): void {
    if (this.leftOut > 1) this.emit(`${this.leftOut - 1} lines omitted`)
    if (this.leftOut > 0) this.emit(this.newest)
    this.leftOut = 0
  }
}
