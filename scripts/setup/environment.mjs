import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Reports whether `root` is a clone of the repository; otherwise it was installed by npm. */
export function isClone(root) {
  return existsSync(join(root, 'trainer', 'src'))
}

/**
 * Folder of the trainer's Python environment: in the clone; for an installed package one per version below MEDLOOM_HOME, by default .medloom
 * in the home folder, because npm replaces the content of the package.
 */
export function trainerEnvironment(root, env = process.env) {
  if (isClone(root)) return join(root, '.venv')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return join(env.MEDLOOM_HOME || join(homedir(), '.medloom'), `trainer-${version}`)
}

/** Folder of the Python environment that contains Ray in addition to the trainer. */
export function rayFolder(root, env = process.env) {
  const trainer = trainerEnvironment(root, env)
  return isClone(root) ? join(root, '.venv-ray') : trainer.replace(/trainer-([^/\\]+)$/, 'ray-$1')
}

/** The interpreter of an environment. */
export function pythonIn(folder) {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python')
}

/** Command that prepares everything that `root` needs. */
export function setupCommand(root) {
  return isClone(root) ? 'npm run setup' : 'medloom setup'
}
