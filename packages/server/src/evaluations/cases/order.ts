/** The indexes of numbers in ascending order, and how many are defined: NaN is last. Cached as long as the numbers exist. */
interface Order {
  readonly places: Uint32Array
  readonly defined: number
}

const orders = new WeakMap<Float64Array, Order>()

/** The indexes of all numbers in their order; equal numbers keep their order, or reverse it when descending; NaN is always last. */
export function* sortedIndexes(numbers: Float64Array, descending: boolean): Generator<number, void, void> {
  const { places, defined } = orderOf(numbers)
  for (let index = 0; index < places.length; index++)
    yield places[descending && index < defined ? defined - 1 - index : index] ?? 0
}

function orderOf(numbers: Float64Array): Order {
  const known = orders.get(numbers)
  if (known) return known
  const all = Uint32Array.from(numbers, (_, place) => place)
  const defined = all.filter((place) => !Number.isNaN(numbers[place]))
  defined.sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0) || a - b)
  all.set(defined)
  all.set(
    Uint32Array.from(numbers, (_, place) => place).filter((place) => Number.isNaN(numbers[place])),
    defined.length,
  )
  const order = { places: all, defined: defined.length }
  orders.set(numbers, order)
  return order
}
