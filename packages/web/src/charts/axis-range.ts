/** Steps between which a chart is zoomed in. */
export interface Window {
  readonly from: number
  readonly to: number
}

/**
 * Range of the horizontal axis: the window, else the steps. It is never empty: the chart library draws ticks of an empty or reversed range
 * without end.
 */
export function axisRange(
  steps: readonly number[],
  window: Window | undefined,
): { min: number; max: number } {
  const { min, max } = window ? { min: window.from, max: window.to } : extremes(steps)
  return max > min ? { min, max } : { min: max - 1, max: min + 1 }
}

function extremes(steps: readonly number[]): { min: number; max: number } {
  if (steps.length === 0) return { min: 0, max: 1 }
  let [min = 0, max = 0] = [steps[0], steps[0]]
  for (const step of steps) {
    if (step < min) min = step
    if (step > max) max = step
  }
  return { min, max }
}
