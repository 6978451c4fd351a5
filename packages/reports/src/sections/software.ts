import { type Block, table } from '../document/document.js'

/** The versions that the numbers of a report were computed with. */
export function softwareTable(software: Readonly<Record<string, string>>): Block {
  return table('Software', ['Package', 'Version'], Object.entries(software))
}
