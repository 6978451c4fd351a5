import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent } from 'echarts/components'
import type { EChartsCoreOption } from 'echarts/core'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { Chart } from '../document/document.js'
import { escapeMarkup, printable } from '../document/escape.js'
import { color, themed } from '../theme/theme.js'

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  SVGRenderer,
])

export interface Drawing {
  readonly name: string
  readonly title: string
  /** Text alternative of the chart. */
  readonly description: string
  /** Width in pixels. */
  readonly width: number
  readonly height: number
  readonly option: EChartsCoreOption
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
const FILE_FONT = FONT.replaceAll('"', '')

/** Draws without a browser. The result contains no script, no animation and no external reference. */
/** Pixels: a wider chart is not reduced to the width of a phone, where its text would be unreadable. */
const WIDE = 500

export function drawChart({ name, title, description, width, height, option }: Drawing): Chart {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  let drawn: string
  try {
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: FILE_FONT, fontSize: 13, color: color('ink') },
      ...option,
    })
    drawn = chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
  const body = tidy(drawn, name)
  const words = `<title id="${name}-title">${escapeMarkup(title)}</title><desc id="${name}-description">${escapeMarkup(description)}</desc>`
  const attributes = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${name}-title ${name}-description"`
  const paper = `<rect width="100%" height="100%" fill="${color('paper')}"/>`
  return {
    name,
    title: printable(title),
    description: printable(description),
    inline: `<svg ${attributes}${width > WIDE ? ' class="wide"' : ''}>${words}${themed(body)}</svg>`,
    standalone: `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${words}${paper}${body}</svg>\n`,
  }
}

/** Content of the drawing without background, hover rules and attributes of the library, and with ids that are the same every time. */
function tidy(svg: string, name: string): string {
  return svg
    .replace(/^\s*<svg[^>]*>/, '')
    .replace(/<\/svg>\s*$/, '')
    .replace(/<style[\s\S]*?<\/style>/g, '')
    .replace(/ (?:ecmeta_\w+|class|pointer-events)="[^"]*"/g, '')
    .replace(/<path [^>]*fill="(?:none|rgb\(0,0,0\))"(?: fill-opacity="0")?[^>]*><\/path>/g, keepVisible)
    .replace(/<rect [^>]*fill="none"[^>]*><\/rect>/g, keepVisible)
    .replace(/(["#])zr\d+-/g, `$1${name}-`)
    .replace(/\n/g, '')
}

/** Removes shapes that only react to the pointer. */
function keepVisible(shape: string): string {
  return / stroke="/.test(shape) && !/ stroke-width="0"/.test(shape) ? shape : ''
}
