import { join } from 'node:path'
import { createExchange } from '../../src/launchers/exchange/http/create-exchange.js'
import type { RunExchange } from '../../src/ports/run-exchange.js'
import { createRoots } from '../../src/security/roots.js'
import { RunDirectory } from '../../src/storage/run-directory.js'
import type { startTestService } from '../service.js'

/**
 * The exchange of a job in the data folder of a running service, and the location of its files.
 * @param address at which nodes reach the service
 */
export function exchangeOf(
  { settings, root, ...service }: Awaited<ReturnType<typeof startTestService>>,
  jobId: string,
  address = service.address,
) {
  const run = (id: string) => new RunDirectory(join(settings.dataDir, 'runs', id))
  const folder = { run, cache: join(settings.dataDir, 'cache'), uploads: join(settings.dataDir, 'uploads') }
  const context = { settings, folder, roots: createRoots([root], settings.dataDir) } as unknown as Parameters<
    typeof createExchange
  >[0]
  const exchange: RunExchange = createExchange(
    context,
    Promise.resolve(address),
    async () => undefined,
  ).exchanges(jobId)
  return { exchange, files: run(jobId) }
}
