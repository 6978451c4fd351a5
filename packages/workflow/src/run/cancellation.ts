/** A cancellation request, made at most once and never withdrawn. Every listener is called, even if another one throws. */
export class Cancellation {
  private readonly listeners = new Set<() => void>()
  private made = false

  get requested(): boolean {
    return this.made
  }

  request(): void {
    if (this.made) return
    this.made = true
    const thrown: unknown[] = []
    for (const listener of [...this.listeners]) {
      try {
        listener()
      } catch (error) {
        thrown.push(error)
      }
    }
    this.listeners.clear()
    if (thrown.length > 0) throw thrown[0]
  }

  /** Called when the request is made, or immediately if it was made already. The returned function removes the listener. */
  onRequest(listener: () => void): () => void {
    if (this.made) {
      listener()
      return () => {}
    }
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
