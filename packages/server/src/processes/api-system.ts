import type { ServiceContext } from '../context.js'
import type { HandlersOf, HandlersOfAny } from '../http/bind.js'
import { type Check, SystemService } from '../system/system.service.js'
import type { ControllerDirectory } from './controller-directory.js'
import { healthOf } from './controller-health.js'

const MAX_WAIT_MILLISECONDS = 2000

/** Status of an API process, including its connection to the controller. */
export function apiSystemRoutes(
  context: ServiceContext,
  directory: Pick<ControllerDirectory, 'current' | 'isOfOtherFolder'>,
): Pick<HandlersOf<'system'>, keyof HandlersOfAny & keyof HandlersOf<'system'>> {
  const queue = () => directory.current?.pause ?? null
  const system = new SystemService(context, queue)
  return {
    getSystemInfo: () => system.info(),
    getHealth: () => ({ status: 'healthy', timestamp: new Date().toISOString(), queue: queue() }),
    getReady: async () => {
      const checks = { ...(await system.sharedReadiness()), controller: await checkController(directory) }
      return {
        status: Object.values(checks).every(({ ok }) => ok) ? 'ready' : 'not_ready',
        timestamp: new Date().toISOString(),
        checks,
      }
    },
  }
}

async function checkController({
  current,
  isOfOtherFolder,
}: Pick<ControllerDirectory, 'current' | 'isOfOtherFolder'>): Promise<Check> {
  if (!current)
    return { ok: false, message: 'no controller is running; start a process with --role controller' }
  if (isOfOtherFolder)
    return {
      ok: false,
      message: 'the controller has another data folder; start all processes with the same --data-dir',
    }
  const status = await healthOf(current, MAX_WAIT_MILLISECONDS)
  if (status === 200) return { ok: true, message: `responds at ${current.address}` }
  const how = status === null ? 'does not respond' : `responds with status ${status}`
  return { ok: false, message: `${how} at ${current.address}` }
}
