import { setTimeout as delay } from 'node:timers/promises'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'

/** Maximum time in which a dead controller is replaced. */
export const TAKEOVER_SECONDS = 10

/** kill -9 of the controller; another one is started as a standby. @returns seconds until a controller works again */
export async function loseController(deployment: Deployment, promises: Promises): Promise<number> {
  const fence = await deployment.fence()
  const victim = await deployment.controller()
  const began = performance.now()
  await victim.kill()
  const seconds = await takenOver(deployment, fence, began)
  promises.check('a dead controller is replaced within 10 s', seconds <= TAKEOVER_SECONDS, `${seconds} s`)
  deployment.startController()
  return seconds
}

/** kill -9 of the controller and of every API process, all of which are restarted. @returns seconds until a controller works again */
export async function loseService(deployment: Deployment, promises: Promises): Promise<number> {
  const [seconds] = await Promise.all([
    loseController(deployment, promises),
    ...deployment.apis.map(async (api, index) => {
      await api.kill()
      await deployment.startApi(index)
    }),
  ])
  return seconds
}

/** @returns seconds from `began` until another controller works. */
export async function takenOver(deployment: Deployment, fence: number, began: number): Promise<number> {
  for (;;) {
    if ((await deployment.fence()) > fence && (await deployment.controllerAddress()) !== null)
      return (performance.now() - began) / 1000
    if (performance.now() - began > 60_000) throw new Error('no controller within a minute')
    await delay(50)
  }
}
