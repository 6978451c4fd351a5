/** A map with at most `most` entries: one more removes the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly most: number) {
    super()
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.most) this.delete(this.keys().next().value as Key)
    return this
  }
}
