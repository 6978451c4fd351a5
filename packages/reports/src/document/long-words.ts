/** Characters of a word that always stay together; the longest words of ordinary texts and most names have fewer. */
export const LONGEST = 24

/** Signs after which a name or a path may go on in the next line. */
const AFTER = /(?<=[_/\\.,:;=@])/

/** A part of a word: lines may break between the pieces of a word. */
export interface Piece {
  readonly text: string
  /** Still longer than a line may be, a digest for example: it may break anywhere. */
  readonly anywhere: boolean
}

/**
 * The words of a text and the spaces between them, in order, each as its pieces. A long word may break after a sign that divides names
 * and paths, and anywhere only in what has no such sign; every other word is one piece.
 */
export function wordsInPieces(text: string, longest = LONGEST): Piece[][] {
  return text
    .split(/(\s+)/)
    .map((word) => (word.length > longest ? divided(word, longest) : [{ text: word, anywhere: false }]))
}

function divided(word: string, longest: number): Piece[] {
  return word.split(AFTER).map((text) => ({ text, anywhere: text.length > longest }))
}
