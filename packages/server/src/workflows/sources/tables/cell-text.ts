/** A path has at most 4096 bytes, each of which JSON may write as six characters: a longer text is not a file name. */
const MAX_LENGTH = 6 * 4096

/** Pieces of a cell, which may continue from one piece of a file to the next. */
export class CellText {
  #text = ''

  add(piece: string): void {
    if (this.#text.length <= MAX_LENGTH) this.#text += piece
  }

  /** The text added since the last call; empty if it is too long for a file name. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text.length <= MAX_LENGTH ? text : ''
  }
}

/** Reads a text piece by piece and passes on every cell. */
export interface CellReader {
  /** True if reading has stopped because the table has too many columns. */
  readonly tooWide: boolean
  push(piece: string): void
  end(): void
}

export type TakeCell = (text: string) => void
