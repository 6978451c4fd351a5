// Random order that a seed reproduces.

/** A copy of the items in the order of the seed. */
export function shuffled(items, seed) {
  const random = generator(seed)
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[result[last], result[other]] = [result[other], result[last]]
  }
  return result
}

/** A seed for a run without one. */
export function newSeed() {
  return 1 + Math.floor(Math.random() * 999_999_999)
}

/** mulberry32: numbers from 0 to 1, the same for the same seed. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
