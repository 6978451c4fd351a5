import { hostname } from 'node:os'
import { StartError } from '../../errors.js'
import type { TrainerHandle } from '../../ports/launcher.js'
import { bootId } from './process-identity.js'
import { LocalHandle } from './trainer-process.js'

/**
 * Trainers are processes of one machine. A service on another machine that shares the database would consider them dead, and start them a
 * second time. After a restart, the machine has the same name, and its trainers are dead.
 * @param gone name of a machine that does not return.
 * @throws StartError when some are on another machine.
 */
export async function refuseOtherMachines(
  handles: readonly TrainerHandle[],
  lostMachine: string | null,
): Promise<void> {
  const [here, boot] = [hostname(), await bootId()]
  const others = handles
    .flatMap((handle) => LocalHandle.safeParse(handle).data ?? [])
    .filter(
      (machine) =>
        machine.boot !== boot &&
        machine.host !== undefined &&
        machine.host !== here &&
        machine.host !== lostMachine,
    )
  const [first] = others
  if (!first) return
  throw new StartError(
    `${others.length === 1 ? 'a training runs' : `${others.length} trainings run`} on the machine ${first.host}, and this machine (${here}) can neither monitor nor stop ${others.length === 1 ? 'it' : 'them'}`,
    `With --launcher local, start the controller on ${first.host}. ` +
      `If that machine is lost, start once with --lost-machine ${first.host}. Its trainings are then marked as lost and can be resumed.`,
  )
}
