import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pythonIn, rayFolder, trainerEnvironment } from './environment.mjs'
import { SetUpError } from './errors.mjs'
import { probePython } from './find-python.mjs'
import { pythonEnvironment } from './python-environment.mjs'

/**
 * Ray in a separate environment that sees the packages of the trainer's environment: PyTorch is installed once, and Ray does not affect the
 * versions of the trainer. Both use the same Python, because compiled packages would not load otherwise.
 */
export function rayEnvironment(root, env) {
  const trainer = trainerEnvironment(root, env)
  const install = {
    title: 'Python packages for Ray',
    stamp: '.medloom-setup',
    requirements: 'trainer/requirements-ray.txt',
  }
  const constraints = ['trainer/constraints.txt', 'trainer/constraints-ray.txt']
  return pythonEnvironment(root, env, rayFolder(root, env), constraints, [install], {
    findBase: () => pythonOf(trainer, env),
    fits: (folder) => versionOf(folder) === versionOf(trainer),
    finish: (folder) => showPackages(trainer, folder),
  })
}

function pythonOf(trainer, env) {
  const command = pythonIn(trainer)
  const { version, problem } = probePython(command, env)
  if (problem)
    throw new SetUpError(
      `${command} ${problem}.`,
      'Make the environment of the trainer first, without --for ray.',
    )
  return { command, version }
}

/** A line that Python runs at its start: the packages of the other environment come after its own, and their .pth files count. */
function showPackages(trainer, folder) {
  const line = `import site; site.addsitedir(${JSON.stringify(sitePackages(trainer))})\n`
  writeFileSync(join(sitePackages(folder), 'medloom-trainer.pth'), line)
}

function sitePackages(folder) {
  if (process.platform === 'win32') return join(folder, 'Lib', 'site-packages')
  return join(folder, 'lib', `python${versionOf(folder)}`, 'site-packages')
}

/** Python version of an environment, such as 3.11; undefined if there is none. */
function versionOf(folder) {
  const file = join(folder, 'pyvenv.cfg')
  return existsSync(file)
    ? /^version(?:_info)? *= *(\d+\.\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]
    : undefined
}
