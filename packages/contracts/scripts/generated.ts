export const GENERATED = 'Generated from packages/contracts by "npm run generate"; do not edit.'

/** First line of every generated page. */
export const HEAD = `<!-- ${GENERATED} -->\n\n`
