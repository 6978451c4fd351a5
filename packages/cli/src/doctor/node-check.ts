import { type Check, fail, ok, warn } from './check.js'

const OLDEST_SUPPORTED = [20, 19] as const

/** Node 20.19 is the oldest version that runs the service; odd versions have no long-term support. */
export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const title = 'Node'
  if (major < OLDEST_SUPPORTED[0] || (major === OLDEST_SUPPORTED[0] && minor < OLDEST_SUPPORTED[1]))
    return fail(
      'node',
      title,
      `${version} is too old`,
      `Install Node ${OLDEST_SUPPORTED.join('.')} or newer.`,
    )
  if (major % 2 === 1)
    return warn('node', title, `${version} has no long-term support`, 'Install Node 22 or 24.')
  return ok('node', title, version)
}
