/** A path has at most 4096 bytes, each of which JSON may write as six characters: a text that is longer names no file. */
const MAX_LENGTH = 6 * 4096

/** Pieces of a cell, which may end in the middle of one piece of a file and go on in the next. */
export class CellText {
  #text = ''

  add(piece: string): void {
    if (this.#text.length <= MAX_LENGTH) this.#text += piece
  }

  /** What was added since the last time; empty where it is too long to name a file. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text.length <= MAX_LENGTH ? text : ''
  }
}

/** Reads a text piece by piece and hands over every cell that it meets. */
export interface CellReader {
  /** Nothing more is read: the table has more columns than can be read. */
  readonly tooWide: boolean
  push(piece: string): void
  end(): void
}

export type TakeCell = (text: string) => void
