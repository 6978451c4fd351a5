import { type Check, fail, ok, warn } from './check.js'

const OLDEST = [20, 19] as const

/** Node 20.19 is the oldest that runs the service; odd versions get no repairs. */
export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const title = 'Node'
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return fail('node', title, `${version} is too old`, `Install Node ${OLDEST.join('.')} or newer.`)
  if (major % 2 === 1)
    return warn('node', title, `${version} is no long-term version`, 'Node 22 or 24 get repairs for longer.')
  return ok('node', title, version)
}
