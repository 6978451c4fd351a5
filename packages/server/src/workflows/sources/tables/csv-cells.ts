import { LIMITS } from '@medloom/contracts'
import { type CellReader, CellText, type TakeCell } from './cell-text.js'

const QUOTE = 0x22
const LINE_FEED = 0x0a
const RETURN = 0x0d

/**
 * Reads a CSV with this delimiter (RFC 4180): a quote counts at the start of a cell, and a doubled quote inside a quoted cell is a literal
 * quote.
 */
export class CsvCells implements CellReader {
  readonly #cell = new CellText()
  readonly #delimiter: number
  #state: 'begin' | 'plain' | 'quoted' | 'after quote' = 'begin'
  /** Number of cells of the record so far. */
  #columns = 0

  constructor(
    delimiter: string,
    private readonly take: TakeCell,
  ) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** True if a record has more cells than a table may have columns: reading has stopped. */
  get tooWide(): boolean {
    return this.#columns > LIMITS.table_columns
  }

  push(piece: string): void {
    let from = 0
    for (let at = 0; at < piece.length && !this.tooWide; at++) {
      const character = piece.charCodeAt(at)
      if (this.#state === 'quoted') {
        if (character !== QUOTE) continue
        this.#cell.add(piece.slice(from, at))
        this.#state = 'after quote'
      } else if (character === this.#delimiter || character === LINE_FEED || character === RETURN) {
        if (this.#state === 'plain') this.#cell.add(piece.slice(from, at))
        this.end()
        if (character !== this.#delimiter && !this.tooWide) this.#columns = 0
      } else if (this.#state === 'begin') {
        this.#state = character === QUOTE ? 'quoted' : 'plain'
        from = character === QUOTE ? at + 1 : at
      } else if (this.#state === 'after quote') {
        this.#state = character === QUOTE ? 'quoted' : 'plain'
        from = at
      }
    }
    if (this.#state === 'plain' || this.#state === 'quoted') this.#cell.add(piece.slice(from))
  }

  end(): void {
    this.#state = 'begin'
    this.#columns += 1
    this.take(this.#cell.take())
  }
}
