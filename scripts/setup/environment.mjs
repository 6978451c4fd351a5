import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Whether `root` is a clone of the repository; else it is what npm has installed. */
export function isClone(root) {
  return existsSync(join(root, 'trainer', 'src'))
}

/**
 * The folder of the Python environment of the trainer: in the clone; of an installed package one of its version below MEDLOOM_HOME, by
 * default .medloom in the folder of the user, since npm replaces what is in the package.
 */
export function trainerEnvironment(root, env = process.env) {
  if (isClone(root)) return join(root, '.venv')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return join(env.MEDLOOM_HOME || join(homedir(), '.medloom'), `trainer-${version}`)
}

/** The folder of the Python environment that has Ray beside the trainer. */
export function rayFolder(root, env = process.env) {
  const trainer = trainerEnvironment(root, env)
  return isClone(root) ? join(root, '.venv-ray') : trainer.replace(/trainer-([^/\\]+)$/, 'ray-$1')
}

/** The interpreter of an environment. */
export function pythonIn(folder) {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python')
}

/** What makes everything ready that `root` needs. */
export function setupCommand(root) {
  return isClone(root) ? 'npm run setup' : 'medloom setup'
}
