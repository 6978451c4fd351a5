import { StartError } from '../errors.js'
import type { ProcessRole } from '../service-flags.js'

/** Several processes can only share a database server. */
export function missingDatabaseServer(role: ProcessRole): StartError {
  return new StartError(
    `--role ${role} requires a database server that it shares with other processes`,
    'Set the same --database-url postgres://… for every process. Without a database server, use --role all.',
  )
}
