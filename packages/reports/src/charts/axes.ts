import { withMinus } from '../document/numbers.js'
import { color } from '../theme/theme.js'

/** Elements shared by all charts, in one style: thin rules, muted labels, axis names in the middle. */

interface AxisOptions {
  readonly name: string
  readonly min?: number
  readonly max?: number
  readonly interval?: number
  readonly gridIndex?: number
  readonly hideLabels?: boolean
  /** Distance between the axis and its name, in pixels. */
  readonly gap?: number
  readonly scale?: boolean
}

export function valueAxis({ name, hideLabels = false, gap = 30, ...rest }: AxisOptions) {
  return {
    type: 'value' as const,
    name,
    nameLocation: 'middle' as const,
    nameGap: gap,
    nameTextStyle: { color: color('ink'), fontSize: 13 },
    axisLine: { show: true, lineStyle: { color: color('muted') } },
    axisTick: { show: !hideLabels, lineStyle: { color: color('muted') } },
    axisLabel: {
      show: !hideLabels,
      color: color('muted'),
      fontSize: 12,
      hideOverlap: true,
      formatter: tickText,
    },
    splitLine: { lineStyle: { color: color('rule'), width: 1 } },
    ...rest,
  }
}

/** A tick with the minus sign of print; rounded, because the steps of an axis are not exact in binary. */
function tickText(value: number): string {
  return withMinus(Number(value.toPrecision(12)).toLocaleString('en-US', { maximumFractionDigits: 12 }))
}

/** 0 to 1 in steps of 0.2. */
export function unitAxis(name: string, more: Partial<AxisOptions> = {}) {
  return valueAxis({ name, min: 0, max: 1, interval: 0.2, ...more })
}

export const LEGEND_LINE = 20

/** Legend below the plot with one line per series, so that long names fit and nothing covers the curves. */
export function legendBelow(names: readonly string[], left: number, width: number) {
  return {
    show: true,
    orient: 'vertical' as const,
    left,
    bottom: 0,
    itemGap: 6,
    itemWidth: 26,
    itemHeight: 8,
    itemStyle: { opacity: 0 },
    selectedMode: false as const,
    textStyle: { color: color('ink'), fontSize: 12.5, width: width - 40, overflow: 'truncate' as const },
    data: [...names],
  }
}

/** Reference line: chance, ideal, a mean. */
export function referenceLine(points: readonly (readonly [number, number])[]) {
  return {
    type: 'line' as const,
    silent: true,
    symbol: 'none',
    data: points.map(([x, y]) => [x, y]),
    lineStyle: { color: color('muted'), width: 1.2, type: 'dashed' as const },
    color: color('muted'),
    z: 1,
  }
}

/** At most `most` of the points, evenly selected, including the first and the last: only for drawing. */
export function thin<Point>(points: readonly Point[], most: number): Point[] {
  if (points.length <= most) return [...points]
  const step = (points.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => points[Math.round(index * step)]).filter(
    (point): point is Point => point !== undefined,
  )
}
