import { type CellReader, CellText, type TakeCell } from './cell-text.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BETWEEN = new Set(Array.from('[]{},: \t\r\n', (character) => character.charCodeAt(0)))

/** Reads a JSON document: its strings, including field names, and its numbers as they are written. */
export class JsonCells implements CellReader {
  readonly tooWide = false
  readonly #cell = new CellText()
  #state: 'between' | 'word' | 'string' | 'escape' = 'between'
  #escaped = false

  constructor(private readonly take: TakeCell) {}

  push(piece: string): void {
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at)
      if (this.#state === 'escape') this.#state = 'string'
      else if (this.#state === 'string') {
        if (character === BACKSLASH) {
          this.#state = 'escape'
          this.#escaped = true
        } else if (character === QUOTE) {
          this.#cell.add(piece.slice(from, at))
          this.end()
        }
      } else if (character === QUOTE || BETWEEN.has(character)) {
        if (this.#state === 'word') this.#cell.add(piece.slice(from, at))
        this.end()
        if (character === QUOTE) this.#state = 'string'
        from = at + 1
      } else if (this.#state === 'between') {
        this.#state = 'word'
        from = at
      }
    }
    if (this.#state !== 'between') this.#cell.add(piece.slice(from))
  }

  end(): void {
    const text = this.#cell.take()
    if (text !== '') this.take(this.#escaped ? unescaped(text) : text)
    this.#state = 'between'
    this.#escaped = false
  }
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return text
  }
}
