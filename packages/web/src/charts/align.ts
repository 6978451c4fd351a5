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
  const steps = [...new Set(series.flatMap((line) => line.steps))].sort((a, b) => a - b)
  const indexOfStep = new Map(steps.map((step, index) => [step, index]))
  const values = series.map((line) => {
    const column: (number | null | undefined)[] = steps.map(() => undefined)
    for (const [index, step] of line.steps.entries()) column[indexOfStep.get(step) ?? 0] = line.values[index]
    return column
  })
  return { steps, values }
}
