/**
 * Exponential moving average with bias correction, so that the first values are not pulled towards zero (Kingma and Ba, 2015).
 * weight: 0 (the values themselves) to less than 1. Missing values stay missing and do not change the average.
 */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values]
  let sum = 0
  let mass = 0
  return values.map((value) => {
    if (value === null) return null
    sum = weight * sum + (1 - weight) * value
    mass = weight * mass + (1 - weight)
    return sum / mass
  })
}
