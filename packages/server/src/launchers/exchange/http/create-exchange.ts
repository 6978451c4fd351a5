import type { ServiceContext } from '../../../context.js'
import { StartError } from '../../../errors.js'
import type { HandlersOf } from '../../../http/bind.js'
import type { RunExchanges } from '../../../ports/run-exchange.js'
import type { GuardOptions } from '../../../security/guard.js'
import type { Roots } from '../../../security/roots.js'
import { fileExchanges } from '../file-exchange.js'
import { rootsOnNodes, siteOfTrainings } from '../site-paths.js'
import { attemptCredentials } from './attempt-credentials.js'
import { AttemptTokens } from './attempt-tokens.js'
import { exchangeRoutes } from './exchange.routes.js'
import { HttpExchange, WatchedEvents } from './http-exchange.js'
import { ReceivedFiles } from './received-files.js'
import { ReceivedStreams } from './received-streams.js'
import { ServedData } from './served-data.js'

export interface Exchange {
  readonly exchanges: RunExchanges
  /** Folders that trainings may name. */
  readonly roots: Roots
  /** Routes that refuse every request until a token is issued for an attempt. */
  readonly routes: HandlersOf<'exchange'>
  /** Called before the body of a request to them is read. @throws AppError UNAUTHORIZED, ATTEMPT_ENDED */
  readonly admit: NonNullable<GuardOptions['admitAttempt']>
}

/**
 * The exchange between the service and its trainers, according to the settings.
 * @param address of this service, once it listens
 * @param confirm rejects when another service has taken over the runs, or their folder is missing
 */
export function createExchange(
  { settings, folder, roots, pool }: Pick<ServiceContext, 'settings' | 'folder' | 'roots' | 'pool'>,
  address: Promise<string>,
  confirm: () => Promise<void>,
): Exchange {
  const site = siteOfTrainings(settings, roots.named)
  const tokens = new AttemptTokens(folder.run)
  const files = new ReceivedFiles()
  const watched = new WatchedEvents()
  const routes = exchangeRoutes({
    tokens,
    streams: new ReceivedStreams(),
    files,
    data: new ServedData({ named: roots.named, uploads: folder.uploads, pool }),
    watched,
    roots: roots.named,
    nodeCache: settings.nodeCache ?? { share: 0.2 },
  })
  const admit: Exchange['admit'] = async ({ params, headers }) => {
    await tokens.admit(params, headers.authorization)
    return attemptCredentials(params, headers.authorization).jobId
  }
  const shared = { folder, roots: roots.folders, confirm }
  if (settings.exchange !== 'http')
    return { exchanges: fileExchanges({ ...shared, site }), roots: rootsOnNodes(roots, site), routes, admit }
  if (!settings.exchangeUrl && (settings.launcher ?? 'local') !== 'local')
    throw new StartError(
      '--exchange http requires an address at which the nodes of the cluster reach this service',
      'Set the address with --exchange-url.',
    )
  const options = { ...shared, url: async () => settings.exchangeUrl ?? address, tokens, files, watched }
  return { exchanges: (jobId) => new HttpExchange(jobId, options), roots, routes, admit }
}
