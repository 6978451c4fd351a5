import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isClone, pythonIn } from './environment.mjs'
import { findPython, probePython } from './find-python.mjs'
import { fingerprint, hasStamp, writeStamp } from './fingerprint.mjs'
import { runStep } from './tool.mjs'

/**
 * Steps of an environment in the folder `name`: created if it is missing or broken, followed by the installations.
 * @param options.findBase returns the base interpreter and its version
 * @param options.fits returns false for an environment that must be created again
 * @param options.finish is called after each installation
 */
export function pythonEnvironment(
  root,
  env,
  name,
  constraints,
  installs,
  { findBase = findPython, fits = () => true, finish = () => {} } = {},
) {
  const folder = resolve(root, name)
  const python = pythonIn(folder)
  const install = ({ title, stamp: stampName, requirements, trainer }) => {
    const stamp = join(folder, stampName)
    // pyvenv.cfg names the base interpreter and its version; the root counts because the trainer is linked by path.
    const inputs = () =>
      fingerprint(
        root,
        [
          requirements,
          ...constraints,
          ...(trainer ? ['trainer/pyproject.toml'] : []),
          relative(root, join(folder, 'pyvenv.cfg')),
        ],
        [root],
      )
    return {
      isCurrent: () => existsSync(python) && hasStamp(stamp, inputs()),
      make: async () => {
        // pip compiles installed packages: where Python may not write, every process would otherwise compile PyTorch again.
        const pip = [python, '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input']
        const versions = constraints.flatMap((file) => ['-c', file])
        await runStep(title, [...pip, '-r', requirements, ...versions], { cwd: root, env })
        if (trainer) await runStep('Trainer', [...pip, '--no-deps', ...trainerOf(root)], { cwd: root, env })
        finish(folder)
        writeStamp(stamp, inputs())
      },
    }
  }
  const environment = {
    isCurrent: () => existsSync(join(folder, installs[0].stamp)) && existsSync(python) && fits(folder),
    make: async () => {
      if (existsSync(folder) && isUsable(python, env) && fits(folder)) return
      const base = findBase(env)
      warnWhenShortOfSpace(dirname(folder))
      rmSync(folder, { recursive: true, force: true })
      await runStep(`Python environment (${base.version})`, [base.command, '-m', 'venv', folder], {
        cwd: root,
        env,
      })
    },
  }
  return [environment, ...installs.map(install)]
}

/** The trainer for pip: the sources of a clone, linked; otherwise the wheel in the package. */
function trainerOf(root) {
  if (isClone(root)) return ['--no-build-isolation', '-e', 'trainer']
  const wheel = readdirSync(join(root, 'trainer')).find((name) => name.endsWith('.whl'))
  return ['--force-reinstall', join('trainer', wheel)]
}

/** False for an environment whose creation was interrupted, or whose base interpreter is gone. */
function isUsable(python, env) {
  return existsSync(python) && !probePython(python, env).problem && existsSync(join(python, '..', pipName()))
}

function pipName() {
  return process.platform === 'win32' ? 'pip.exe' : 'pip'
}

function warnWhenShortOfSpace(folder) {
  const { bavail, bsize } = statfsSync(folder)
  const free = (bavail * bsize) / 1e9
  if (free < 4)
    console.error(`Only ${free.toFixed(1)} GB are free here; the Python environment may need more.`)
}
