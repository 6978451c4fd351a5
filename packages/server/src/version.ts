import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.js'

/** Version of this package. */
export const MEDLOOM_VERSION: string = (
  JSON.parse(readFileSync(join(REPOSITORY, 'packages/server/package.json'), 'utf8')) as { version: string }
).version
