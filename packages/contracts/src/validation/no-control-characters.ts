/** The characters of \p{Cc}, written out: a JSON Schema is read by tools whose patterns have no classes of Unicode. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
export const NO_CONTROL_CHARACTERS = /^[^\x00-\x1f\x7f-\x9f]*$/
