import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository: this file lies three folders below it, as a source, compiled, and joined into the program. */
export const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../..')
