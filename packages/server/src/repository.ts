import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonIn, rayFolder, setupCommand, trainerEnvironment } from '../../../scripts/setup/environment.mjs'

/**
 * The folder of the repository, or of the installed package, which has the same layout: this file is three levels below it, as a source,
 * compiled, and in the bundle.
 */
export const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../..')

/** The Python interpreter with the trainer. */
export const TRAINER_PYTHON = pythonIn(trainerEnvironment(REPOSITORY))
/** The Python interpreter with the trainer and Ray. */
export const RAY_PYTHON = pythonIn(rayFolder(REPOSITORY))
/** The command that creates the trainer's environment. */
export const SETUP = setupCommand(REPOSITORY)
