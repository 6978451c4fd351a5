import { inflateSync } from 'node:zlib'

export interface PdfFacts {
  readonly pages: number
  /** Text that a reader copies, without whitespace, because line breaks depend on the layout. */
  readonly text: string
  readonly embeddedFonts: number
  /** All dates in the file. */
  readonly times: readonly string[]
}

/** Reads the text of a PDF with embedded fonts, as a viewer does: glyph numbers through the ToUnicode table of their font. */
export function readPdf(bytes: Uint8Array): PdfFacts {
  const file = Buffer.from(bytes).toString('latin1')
  if (!file.startsWith('%PDF-') || !file.trimEnd().endsWith('%%EOF')) throw new Error('this is not a PDF')
  const objects = new Map(
    [...file.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => [id, body]),
  )
  const fonts = new Map<string, Map<number, string>>()
  for (const body of objects.values())
    for (const [, name = '', id = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(name, characters(stream(objects.get(reference(objects.get(id), 'ToUnicode')))))
  const text = [...objects.values()].map((body) => textOf(stream(body), fonts)).join('')
  return {
    pages: [...objects.values()].filter((body) => /\/Type \/Page\n/.test(body)).length,
    text: text.replace(/\s|\u200b/g, ''),
    embeddedFonts: [...objects.values()].filter((body) => body.includes('/FontFile2')).length,
    times: [...file.matchAll(/\(D:(\d+)Z?\)/g)].map(([, time = '']) => time),
  }
}

function reference(body: string | undefined, key: string): string {
  return new RegExp(`/${key} (\\d+) 0 R`).exec(body ?? '')?.[1] ?? ''
}

function stream(body: string | undefined): string {
  const start = body?.indexOf('stream\n') ?? -1
  if (!body || start < 0 || !body.includes('/FlateDecode')) return ''
  const data = body.slice(start + 7, body.lastIndexOf('\nendstream'))
  return inflateSync(Buffer.from(data, 'latin1')).toString('latin1')
}

/** Glyph number → text. */
function characters(table: string): Map<number, string> {
  const found = new Map<number, string>()
  for (const [, first = '0', list = ''] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[(.*?)\]/g))
    for (const [index, [, codes = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries())
      found.set(
        Number.parseInt(first, 16) + index,
        Buffer.from(codes.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
      )
  return found
}

function textOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<number, string>>): string {
  let font: ReadonlyMap<number, string> | undefined
  let text = ''
  for (const [, name, glyphs] of content.matchAll(
    /\/(F\d+) [\d.]+ Tf|<([0-9a-f]+)>(?=[^<>]*(?:<[0-9a-f]+>[^<>]*)*T[jJ])/g,
  )) {
    if (name !== undefined) font = fonts.get(name)
    for (const [glyph] of (glyphs ?? '').matchAll(/.{4}/g))
      text += font?.get(Number.parseInt(glyph, 16)) ?? ''
  }
  return text
}
