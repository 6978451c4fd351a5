import type { AppOptions } from '../../app.js'
import { attemptCredentials } from '../../launchers/exchange/http/attempt-credentials.js'
import { forwardRoutes } from './forward-routes.js'
import type { Forwarder } from './forwarder.js'
import { RELAYED_SOCKETS, type RelayOptions, relaySockets } from './relay-socket.js'

/** The part of an application that forwards the routes and sockets of the controller. */
export function forwarding(
  forwarder: Forwarder,
  options: RelayOptions,
): Required<Pick<AppOptions, 'admitAttempt' | 'sockets'>> {
  return {
    // Only the controller can check the token of an attempt, because it issued the token.
    admitAttempt: async ({ params, headers }) => {
      attemptCredentials(params, headers.authorization)
      return null
    },
    sockets: [(app) => relaySockets(app, RELAYED_SOCKETS, options), (app) => forwardRoutes(app, forwarder)],
  }
}
