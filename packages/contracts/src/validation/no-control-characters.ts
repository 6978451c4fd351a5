/** The characters of \p{Cc} written out, because some JSON Schema tools do not support Unicode classes in patterns. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression rejects these characters
export const NO_CONTROL_CHARACTERS = /^[^\x00-\x1f\x7f-\x9f]*$/
