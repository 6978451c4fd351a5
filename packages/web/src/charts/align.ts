interface Series {
  readonly steps: readonly number[]
  readonly values: readonly (number | null)[]
}

interface Aligned {
  readonly steps: number[]
  /** undefined: this line has no such step, and is drawn across it; null: a gap. */
  readonly values: (number | null | undefined)[][]
}

/** Several lines, each with steps of its own, over one axis. */
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
