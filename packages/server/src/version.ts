import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.js'

/** Version of Medloom, which the package.json of the repository or of the installed package declares. */
export const MEDLOOM_VERSION: string = (
  JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }
).version
