import type { Forest } from '../document/document.js'
import { escapeMarkup } from '../document/escape.js'
import { color } from '../theme/theme.js'

export const FOREST_WIDTH = 160
export const FOREST_HEIGHT = 20

/** The estimate as a square on its interval, as an SVG in light colors. The notes of the table state the ends of the scale. */
export function drawForest({ estimate, low, high, min, max }: Forest, text: string): string {
  const xOf = (value: number) => 4 + (152 * (Math.min(max, Math.max(min, value)) - min)) / (max - min)
  const ticks = [0, 0.25, 0.5, 0.75, 1]
    .map((share) =>
      share === 0.5
        ? `<path d="M80 1V19" stroke="${color('muted')}" stroke-dasharray="2 2"/>`
        : `<path d="M${4 + 152 * share} 1V19" stroke="${color('rule')}"/>`,
    )
    .join('')
  const interval =
    low === null || high === null
      ? ''
      : `<path d="M${xOf(low).toFixed(1)} 10H${xOf(high).toFixed(1)}M${xOf(low).toFixed(1)} 6.5v7M${xOf(high).toFixed(1)} 6.5v7" stroke="${color('blue')}" stroke-width="1.8" fill="none"/>`
  return `<svg class="forest" viewBox="0 0 ${FOREST_WIDTH} ${FOREST_HEIGHT}" width="${FOREST_WIDTH}" height="${FOREST_HEIGHT}" role="img" aria-label="${escapeMarkup(text)}">${ticks}${interval}<rect x="${(xOf(estimate) - 3.5).toFixed(1)}" y="6.5" width="7" height="7" fill="${color('blue')}"/></svg>`
}
