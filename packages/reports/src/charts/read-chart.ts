import type { Chart } from '../document/document.js'
import { color, themed } from '../theme/theme.js'

const ELEMENTS = [
  'svg',
  'title',
  'desc',
  'rect',
  'path',
  'g',
  'text',
  'tspan',
  'circle',
  'line',
  'polyline',
  'polygon',
  'defs',
  'clipPath',
  'use',
]
const PAPER = `<rect width="100%" height="100%" fill="${color('paper')}"/>`

/**
 * Reads a chart that `drawChart` wrote to a file, for use in a document.
 * @returns null for any other drawing: a page contains only charts of this software, so that no foreign content can run in it.
 */
export function readChart(svg: string, title: string): Chart | null {
  const head =
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*aria-labelledby="([a-z0-9-]+)-title [a-z0-9-]+"[^>]*>/.exec(
      svg,
    )
  const name = head?.[1]
  if (name === undefined || !isHarmless(svg)) return null
  const description = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg)?.[1] ?? ''
  const inline = svg.trimEnd().replace(' xmlns="http://www.w3.org/2000/svg"', '').replace(PAPER, '')
  return { name, title, description: unescaped(description), inline: themed(inline), standalone: svg }
}

/** Reports whether the drawing contains only shapes and text: no other elements, no handlers, and no external references. */
function isHarmless(svg: string): boolean {
  const tags = [...svg.matchAll(/<(?!\/)([^\s/>]*)([^>]*)>/g)]
  return tags.every(
    ([, element = '', attributes = '']) =>
      ELEMENTS.includes(element) &&
      !/\son\w+\s*=/i.test(attributes) &&
      !/\sstyle\s*=(?!"(?:font-[a-z]+:[^;"()]*;?)+")/i.test(attributes) &&
      !/href\s*=\s*"(?!#)/i.test(attributes) &&
      !/url\((?!#)/i.test(attributes),
  )
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const

/** Inverse of `escapeMarkup`. */
function unescaped(markup: string): string {
  return Object.entries(ENTITIES).reduce((text, [entity, mark]) => text.replaceAll(entity, mark), markup)
}
