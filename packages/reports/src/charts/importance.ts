import type { Importance } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { barChart, inBars } from './bars.js'

/** One bar per input, the largest on top, with its interval. */
export function importanceChart(inputs: Importance['inputs'], axis: string, name: string): Chart {
  const bars = inputs.map(({ name: label, drop, low, high }) => ({ label, value: drop, low, high }))
  const title = `${axis} per permuted input (95% CI)`
  const description = `${axis} when an input is permuted between patients: ${inBars(bars)}.`
  return barChart(bars, { name, title, description, axis })
}
