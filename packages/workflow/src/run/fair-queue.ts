/**
 * Waiting items by party. Parties take turns, and each turn serves the longest waiting item of the party: a party with thousands of items
 * delays another by one turn each time, not by thousands.
 */
export class FairQueue<Waiting> {
  /** Parties in the order of their turns. None is empty. */
  private readonly parties = new Map<unknown, Set<{ readonly waiting: Waiting }>>()

  /** @returns function that leaves the queue without a turn. */
  add(party: unknown, waiting: Waiting): () => void {
    const queue = this.parties.get(party) ?? new Set()
    this.parties.set(party, queue)
    const place = { waiting }
    queue.add(place)
    return () => {
      if (queue.delete(place) && queue.size === 0) this.parties.delete(party)
    }
  }

  /** Removes and returns the next item; `except`: skips this party. */
  take(except?: { readonly party: unknown }): Waiting | undefined {
    const next = [...this.parties].find(([party]) => !except || party !== except.party)
    if (!next) return undefined
    const [party, queue] = next
    const [place] = queue
    this.parties.delete(party)
    if (place) queue.delete(place)
    if (queue.size > 0) this.parties.set(party, queue)
    return place?.waiting
  }
}
