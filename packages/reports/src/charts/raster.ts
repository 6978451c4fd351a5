import { Resvg } from '@resvg/resvg-js'
import { FONT_FAMILY, FONT_FILES, isInFont } from '../theme/font.js'
import { color } from '../theme/theme.js'

/**
 * A drawing as PNG, at twice its size so that it is sharp in print. System fonts are used only for characters that the report font lacks;
 * otherwise every machine draws the same pixels.
 */
export function toPng(svg: string, zoom = 2): Uint8Array {
  const drawing = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: zoom },
    background: color('paper'),
    font: {
      loadSystemFonts: !isInFont(svg),
      fontFiles: [FONT_FILES.normal, FONT_FILES.bold],
      defaultFontFamily: FONT_FAMILY,
      sansSerifFamily: FONT_FAMILY,
    },
  })
  return new Uint8Array(drawing.render().asPng())
}
