interface Series {
  readonly steps: readonly number[]
  readonly values: readonly (number | null)[]
}

interface Aligned {
  readonly steps: number[]
  /** undefined: this line has no such step, and the line connects across it; null: a gap. */
  readonly values: (number | null | undefined)[][]
}

/** Aligns several lines with different steps on one axis. */
export function align(series: readonly Series[]): Aligned {
  const steps = [...new Set(series.flatMap((one) => one.steps))].sort((a, b) => a - b)
  const place = new Map(steps.map((step, index) => [step, index]))
  const values = series.map((one) => {
    const line: (number | null | undefined)[] = steps.map(() => undefined)
    for (const [index, step] of one.steps.entries()) line[place.get(step) ?? 0] = one.values[index]
    return line
  })
  return { steps, values }
}
