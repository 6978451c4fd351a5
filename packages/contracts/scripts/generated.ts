/** The first line of every generated file says this. */
export const GENERATED = 'Generated from packages/contracts by "npm run generate"; do not edit.'
