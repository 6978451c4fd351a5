import type { MedloomClient } from '@medloom/client/node'
import { counted } from '@medloom/contracts'
import { type Check, fail, ok, warn } from './check.js'

/** Checks that the cluster of the running service answers; empty if trainings run on its machine, or if the service is not running. */
export async function checkCluster(client: Pick<MedloomClient, 'getSystemInfo'>): Promise<Check[]> {
  const title = 'Cluster'
  const info = await client.getSystemInfo().catch(() => null)
  if (!info || info.trainings.launcher === 'local') return []
  const { launcher, cluster } = info.trainings
  if (!cluster)
    return [
      warn(
        'cluster',
        title,
        `does not respond (--launcher ${launcher})`,
        'Check that the cluster is running, and check the address and the token of the service. Waiting jobs continue once the cluster responds.',
      ),
    ]
  const { nodes, cpus, gpus } = cluster
  return [
    ok(
      'cluster',
      title,
      `${launcher}: ${counted(nodes, 'node')}, ${counted(cpus, 'core')}, ${counted(gpus, 'GPU')}`,
    ),
  ]
}

/** Checks that running programs on the cluster requires a token. @param address of the dashboard; empty without one. */
export async function checkDashboard(address: string | undefined): Promise<Check[]> {
  if (!address) return []
  const title = 'Ray dashboard'
  const url = /^https?:\/\//.test(address) ? address : `http://${address}`
  if (!URL.canParse(url))
    return [
      fail(
        'ray_dashboard',
        title,
        `"${address}" is not a valid address`,
        'Set an address such as http://10.0.0.1:8265.',
      ),
    ]
  const { isOpenDashboard, OPEN_DASHBOARD } = await import('@medloom/server')
  if (await isOpenDashboard(url))
    return [warn('ray_dashboard', title, OPEN_DASHBOARD.message, OPEN_DASHBOARD.remedy)]
  return [ok('ray_dashboard', title, 'requires a token, or listens only on loopback')]
}
