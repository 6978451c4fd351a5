import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { printable } from '../document/escape.js'

/** Font of PDF pages and rasterized charts: Roboto from pdfmake, so that the result does not depend on the machine's fonts. */
export const FONT_FAMILY = 'Roboto'
export const FONT_FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')),
  'fonts',
  'Roboto',
)
export const FONT_FILES = {
  normal: join(FONT_FOLDER, 'Roboto-Regular.ttf'),
  bold: join(FONT_FOLDER, 'Roboto-Medium.ttf'),
  italics: join(FONT_FOLDER, 'Roboto-Italic.ttf'),
  bolditalics: join(FONT_FOLDER, 'Roboto-MediumItalic.ttf'),
} as const

/** Code points of the font: Latin, Greek, Cyrillic and symbols. It does not contain Asian and right-to-left scripts. */
const COVERED =
  '9-a 20-7e a0-17f 18f 192 1a0-1a1 1af-1b0 1fa-1ff 218-21b 259 2c6-2c7 2d8-2dd 300-301 303 309 384-38a 38c 38e-3a1 3a3-3ce 3d1-3d2 3d6 400-486 488-513 1e80-1e85 1e9e 1ea0-1ef9 2000-200b 2010-2011 2013-2015 2017-201e 2020-2022 2026 2030 2032-2033 2039-203a 2044 2070 2074-208e 20ac 2113 2116 2122 2126 2202 2206 220f 2211-2212 221a 221e 222b 2248 2260 2264-2265'
const STRANGE = new RegExp(
  `[^${COVERED.split(' ')
    .map((range) => range.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`))
    .join('')}]`,
  'gu',
)

export function isInFont(text: string): boolean {
  return text.search(STRANGE) === -1
}

/** A character that the font lacks is written as its code, [U+4E2D], instead of an empty box. */
export function inFont(text: string): string {
  return text.replace(
    STRANGE,
    (mark) => `[U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** Text of a PDF: printable, and only with characters of its font. */
export function printed(text: string): string {
  return inFont(printable(text))
}
