// Programs that only tests need, from the system's packages.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runStep } from './tool.mjs'

/**
 * A step of the set-up: installs a program with apt-get if this user may. Tests are skipped without it, so a failure stops nothing.
 *
 * `choices`: lists of packages, of which the first installable one is used; `missing`: message for the user if none is.
 */
export function debianProgram({ root, env, title, isPresent, choices, missing }) {
  return {
    isCurrent: () => isPresent() || !canInstall(env),
    make: async () => {
      try {
        await runStep(title, ['sh', '-c', installCommand(choices)], { cwd: root, env })
      } catch (error) {
        if (error.interrupted) throw error
        console.error(`${error.message}\n${missing}`)
      }
    },
  }
}

/** Waits while another installation holds the lock of apt-get. */
function installCommand(choices) {
  const apt =
    'DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends'
  return `apt-get update && (${choices.map((packages) => `${apt} ${packages.join(' ')}`).join(' || ')})`
}

function canInstall(env) {
  return process.getuid?.() === 0 && programOnPath('apt-get', env.PATH) !== null
}

/** The executable with this name in the folders of PATH; null if there is none. */
export function programOnPath(name, path = '') {
  const places = path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
  return places.find(isExecutable) ?? null
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
