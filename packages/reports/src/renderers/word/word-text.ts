import { Paragraph, TextRun } from 'docx'
import { printable } from '../../document/escape.js'
import { LONGEST, wordsInPieces } from '../../document/long-words.js'
import { color } from '../../theme/theme.js'

export interface RunLook {
  readonly size?: number
  readonly color?: Parameters<typeof color>[0]
  readonly bold?: boolean
  readonly italics?: boolean
  readonly font?: string
}

export function run(text: string, { color: name, ...look }: RunLook = {}): TextRun {
  return new TextRun({ text: breakable(text), ...look, ...(name ? { color: hex(name) } : {}) })
}

/** Long names and paths may break after a separator. */
export function breakable(text: string, longest = LONGEST): string {
  return wordsInPieces(printable(text), longest)
    .map((word) => word.map((piece) => piece.text).join('\u200b'))
    .join('')
}

export function hex(name: Parameters<typeof color>[0]): string {
  return color(name).slice(1)
}

export function gap(): Paragraph {
  return new Paragraph({ spacing: { after: 60 }, children: [] })
}
