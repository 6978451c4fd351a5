import type { ServiceContext } from '../context.js'
import { StartError } from '../errors.js'
import type { Launcher } from '../ports/launcher.js'
import type { LauncherName } from '../ports/launcher-names.js'
import { SLURM_DEFAULTS } from '../ports/slurm-settings.js'
import { LocalLauncher } from './local/local-launcher.js'
import { RayLauncher } from './ray/ray-launcher.js'
import { SlurmLauncher } from './slurm/slurm-launcher.js'

type LauncherContext = Pick<ServiceContext, 'settings' | 'folder' | 'pool' | 'log'>

const LAUNCHER_OF = {
  local: ({ settings, folder, pool }) => {
    const { python, maxJobs, prewarm, idleSeconds, databaseUrl, lostMachine = null } = settings
    return new LocalLauncher({
      ...{ python, logs: folder.logs, pool, maxJobs, prewarm, idleSeconds },
      ...(databaseUrl ? { machines: { gone: lostMachine } } : {}),
    })
  },
  ray: ({ settings, log }) => {
    const { rayAddress, rayTokenFile = null, clusterPython, python, maxJobs, stopGraceSeconds } = settings
    if (rayAddress === undefined)
      throw new StartError(
        '--launcher ray requires the address of the cluster',
        'Set the address of its dashboard: --ray-address http://127.0.0.1:8265.',
      )
    return new RayLauncher({
      ...{ address: rayAddress, tokenFile: rayTokenFile, python: clusterPython ?? python },
      ...{ maxJobs, stopGraceSeconds, log },
    })
  },
  slurm: ({ settings, folder, log }) => {
    const { slurm = SLURM_DEFAULTS, clusterPython, python, maxJobs } = settings
    return new SlurmLauncher({
      ...{ settings: slurm, python: clusterPython ?? python, maxJobs },
      ...{ run: folder.run, log },
    })
  },
} satisfies Record<LauncherName, (context: LauncherContext) => Launcher>

/** The launcher that the settings name. */
export function createLauncher(context: LauncherContext): Launcher {
  return LAUNCHER_OF[context.settings.launcher ?? 'local'](context)
}
