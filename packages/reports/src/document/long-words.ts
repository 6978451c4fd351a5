/** Words up to this length are never broken; most words and names are shorter. */
export const LONGEST = 24

/** Characters after which a name or a path may continue on the next line. */
const AFTER = /(?<=[_/\\.,:;=@])/

/** A part of a word: lines may break between the pieces of a word. */
export interface Piece {
  readonly text: string
  /** Still longer than a line, for example a digest: it may break anywhere. */
  readonly anywhere: boolean
}

/**
 * The words of a text and the spaces between them, in order, each as its pieces. A long word may break after a separator of names and paths;
 * a piece without separators may break anywhere; every other word is one piece.
 */
export function wordsInPieces(text: string, longest = LONGEST): Piece[][] {
  return text
    .split(/(\s+)/)
    .map((word) => (word.length > longest ? divided(word, longest) : [{ text: word, anywhere: false }]))
}

function divided(word: string, longest: number): Piece[] {
  return word.split(AFTER).map((text) => ({ text, anywhere: text.length > longest }))
}
