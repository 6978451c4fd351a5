import { readFileSync } from 'node:fs'

/** Version of Medloom, which the package.json of the repository declares. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string }
