/**
 * Who waits, by party. Parties take turns, and each gives its turn to the one of its own that waits longest: a party with thousands
 * waiting delays another by one turn each time, not by thousands.
 */
export class FairQueue<Waiting> {
  /** In the order of their turns. None is without anyone waiting. */
  private readonly parties = new Map<unknown, Set<{ readonly waiting: Waiting }>>()

  /** @returns how to leave without a turn. */
  add(party: unknown, waiting: Waiting): () => void {
    const queue = this.parties.get(party) ?? new Set()
    this.parties.set(party, queue)
    const place = { waiting }
    queue.add(place)
    return () => {
      if (queue.delete(place) && queue.size === 0) this.parties.delete(party)
    }
  }

  /** The next one, which no longer waits; `except`: of another party than this one. */
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
