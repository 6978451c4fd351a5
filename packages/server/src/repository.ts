import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonIn, rayFolder, setupCommand, trainerEnvironment } from '../../../scripts/setup/environment.mjs'

/**
 * The folder of the repository, or of the installed package, which has its layout: this file lies three folders below it, as a source,
 * compiled, and joined into the program.
 */
export const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../..')

/** The interpreter that has the trainer. */
export const TRAINER_PYTHON = pythonIn(trainerEnvironment(REPOSITORY))
/** The interpreter that has Ray beside it. */
export const RAY_PYTHON = pythonIn(rayFolder(REPOSITORY))
/** What makes the trainer's. */
export const SETUP = setupCommand(REPOSITORY)
