import { StartError } from '../errors.js'
import type { ProcessRole } from '../service-flags.js'

/** Several processes can only share a database server. */
export function noServer(role: ProcessRole): StartError {
  return new StartError(
    `--role ${role} shares a database server with other processes, and none is named`,
    'Give --database-url postgres://…, the same for every process; without it, --role all does everything in one process.',
  )
}
