import { readFile } from 'node:fs/promises'
import { type ExchangeOrder, TrainerSpec } from '@medloom/contracts'
import { Bytes, type HandlersOf } from '../../../http/bind.js'
import type { NamedRoot } from '../../../security/named-roots.js'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { type AttemptTokens, attemptEnded } from './attempt-tokens.js'
import { controlOf, type WatchedEvents, writeHeartbeat } from './http-exchange.js'
import type { ReceivedFiles } from './received-files.js'
import type { ReceivedStreams } from './received-streams.js'
import type { ServedData } from './served-data.js'

export interface ExchangeRoutesOptions {
  readonly tokens: AttemptTokens
  readonly streams: ReceivedStreams
  readonly files: ReceivedFiles
  readonly data: ServedData
  readonly watched: WatchedEvents
  readonly roots: readonly NamedRoot[]
  readonly nodeCache: ExchangeOrder['node_cache']
}

/** The guard has already checked the token of the attempt; each route checks again, since the attempt may have ended meanwhile. */
export function exchangeRoutes(options: ExchangeRoutesOptions): HandlersOf<'exchange'> {
  const { tokens, streams, files, data, watched, nodeCache } = options
  const roots = options.roots.map(({ name, folder }) => ({ name, folder }))
  const admit = ({ params, reply }: Request): Promise<RunDirectory> =>
    tokens.admit(params, reply.request.headers.authorization)
  return {
    async getExchangeOrder(request) {
      const { attempt } = request.params
      const run = await admit(request)
      const spec = TrainerSpec.parse(JSON.parse(await readFile(run.spec, 'utf8')))
      if (spec.attempt !== attempt) throw attemptEnded(attempt)
      return { spec, roots, streams: await streams.offsets(run, attempt), node_cache: nodeCache }
    },
    async sendExchangeHeartbeat(request) {
      const { attempt } = request.params
      const run = await admit(request)
      const { heartbeat } = request.body
      if (heartbeat) await writeHeartbeat(run, attempt, heartbeat)
      return { request: await controlOf(run, attempt) }
    },
    async sendExchangeStream(request) {
      const { job_id, attempt, stream } = request.params
      const run = await admit(request)
      const { content } = request
      const piece = { offset: request.query.offset, content }
      const offset = await tokens.take(request.params, content, {
        admit: () => admit(request),
        work: () => streams.append(run, attempt, stream, piece),
      })
      if (stream === 'events') watched.arrived(job_id, attempt)
      return { offset }
    },
    async announceExchangeFile(request) {
      const run = await admit(request)
      return files.announce(run, request.params.attempt, request.body, () => admit(request))
    },
    async sendExchangeFile(request) {
      const run = await admit(request)
      const { content, params } = request
      const piece = { offset: request.query.offset, content }
      const offset = await tokens.take(params, content, {
        admit: () => admit(request),
        work: () => files.write(run, params.sha256, piece),
      })
      return { offset }
    },
    getExchangeFacts: async (request) => data.facts(await admit(request), request.body.files),
    getExchangeData: async (request) =>
      new Bytes(await data.contents(await admit(request), request.body.files), 'application/octet-stream'),
  }
}

interface Request {
  readonly params: { readonly job_id: string; readonly attempt: number }
  readonly reply: { readonly request: { readonly headers: { readonly authorization?: string | undefined } } }
}
