import { type Block, table } from '../document/document.js'

/** Software versions with which the numbers of a report were computed. */
export function softwareTable(software: Readonly<Record<string, string>>): Block {
  return table('Software', ['Package', 'Version'], Object.entries(software))
}
