import { TextDecoder } from 'node:util'
import type { ZipArchive } from '../../../storage/zip.js'
import type { TakeCell } from './cell-text.js'

/** A workbook that would unpack to more is not read; the trainer refuses it at a much smaller size. */
const MAX_BYTES = 1024 ** 3
/** A longer text, or one with a longer tag, in characters, is not a file name. */
const MAX_TEXT = 64 * 1024

/**
 * The texts of an Office Open XML workbook: shared and inline strings, and the values of cells, including those of formulas. All sheets are
 * read, not only the table.
 */
export async function workbookCells(
  archive: ZipArchive,
  take: TakeCell,
  pause: () => Promise<void>,
): Promise<void> {
  const { entries } = archive
  const parts = entries.filter(({ fileNameRaw }) => /\.xml$/i.test(fileNameRaw.toString('latin1')))
  if (entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > MAX_BYTES) return
  for (const part of parts) {
    const texts = new XmlCells(take)
    let decoder: TextDecoder | undefined
    for await (const piece of await archive.content(part)) {
      decoder ??= new TextDecoder(encodingOf(piece))
      texts.push(decoder.decode(piece, { stream: true }))
      await pause()
    }
  }
}

function encodingOf(first: Buffer): string {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le'
  return first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** Reads a part of a workbook: every text, and the runs of a formatted string as a single text. */
class XmlCells {
  /** Input after the last complete tag. */
  #rest = ''
  #string: string | null = null
  #aside = false

  constructor(private readonly take: TakeCell) {}

  push(piece: string): void {
    const text = this.#rest + piece
    let at = 0
    for (;;) {
      const open = text.indexOf('<', at)
      if (open < 0) break
      const literal = text.startsWith('<![CDATA[', open)
      const close = text.indexOf(literal ? ']]>' : '>', open)
      if (close < 0) break
      this.#text(unescaped(text.slice(at, open)))
      if (literal) this.#text(text.slice(open + '<![CDATA['.length, close))
      else this.#tag(text.slice(open + 1, close))
      at = close + (literal ? 3 : 1)
    }
    this.#rest = text.length - at > MAX_TEXT ? '' : text.slice(at)
  }

  #text(text: string): void {
    if (text.trim() === '') return
    this.#give(text)
    if (this.#string !== null && !this.#aside && this.#string.length < MAX_TEXT) this.#string += text
  }

  #tag(tag: string): void {
    const [, end, name] = /^(\/?)(?:[\w.-]+:)?([\w.-]+)/.exec(tag) ?? []
    if (name === 'rPh') this.#aside = end === ''
    else if (name === 'si' || name === 'is') {
      if (end === '') this.#string = tag.endsWith('/') ? null : ''
      else if (this.#string) {
        this.#give(this.#string)
        this.#string = null
      }
    }
  }

  /** For a literal `_x0041_`, which would encode a character, Excel writes `_x005F_x0041_`; readers differ in how they decode this. */
  #give(text: string): void {
    this.take(text)
    if (text.includes('x005F_')) this.take(text.replaceAll('x005F_', ''))
  }
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED[name] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
