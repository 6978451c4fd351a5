/**
 * Headings of the specification → its sentences, word for word: list items and paragraphs sentence by sentence, tables row by row with
 * the cells joined by " | ". Each is declared under the id of its promise; a sentence with several promises names its parts.
 */
export type Sections = Record<
  string,
  Record<string, string | { text: string; parts: Record<string, string> }>
>
