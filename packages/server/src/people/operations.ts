import { type Owned, type PhraseCode, phrase, ROUTES, type RouteDeclaration } from '@medloom/contracts'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import type { Operations } from '../http/bind.js'
import type { Actor } from '../security/actor.js'
import { readsIdentifiers } from '../security/identifiers.js'
import { type AuditLog, idsIn } from './audit/audit-log.js'
import type { OwnersRepository } from './owners.repository.js'
import type { OpenConnections } from './tokens/open-connections.js'

/**
 * Access control of the routes: operations on an owned item are allowed for its owner and for administrators. The audit log records
 * changes, and reads of values that identify patients.
 */
export function createOperations(
  owners: OwnersRepository,
  audit: AuditLog,
  connections: Pick<OpenConnections, 'isGood'>,
): Operations {
  return {
    async carryOut({ name, request, params: rawParams, status, isAtomic = false }, work) {
      const route: RouteDeclaration = ROUTES[name]
      const { actor } = request
      const params = await withId(route, rawParams)
      if (actor) await requireOwner(route, actor, params, request)
      if (!actor) return work(async () => undefined, params)
      const acknowledged: typeof work = async (done, given) => {
        const response = await work(done, given)
        if (route.takes) await requireGood(actor)
        return response
      }
      const reads = readsIdentifiers(request)
      if (!route.changes && !reads) return acknowledged(async () => undefined, params)
      const audited = { actor, request, ids: idsIn(params), isAtomic, ...(status ? { status } : {}) }
      return audit.carryOut(name, audited, async (done) => {
        if (!reads) return acknowledged(done, params)
        const response = await acknowledged(async () => undefined, params)
        // Nothing of the content that was read is logged.
        await done({})
        return response
      })
    },
  }

  /** The token may have been revoked while the body arrived. @throws AppError UNAUTHORIZED */
  async function requireGood(actor: Actor): Promise<void> {
    if (!(await connections.isGood(actor))) throw new AppError('UNAUTHORIZED', phrase('credential_ended'))
  }

  /** Replaces an alias by its id, so that the checked item is also the changed item. */
  async function withId<Params extends object>({ owned }: RouteDeclaration, params: Params): Promise<Params> {
    const [first] = Object.entries(params)
    return owned && first ? { ...params, [first[0]]: await owners.idOf(owned, first[1]) } : params
  }

  /** @throws AppError FORBIDDEN */
  async function requireOwner(
    { owned }: RouteDeclaration,
    actor: Actor,
    params: object,
    request: FastifyRequest,
  ): Promise<void> {
    const [id] = Object.values(params)
    if (!owned || actor.role === 'admin' || typeof id !== 'string') return
    const owner = await owners.find(owned, id)
    // If the item does not exist, the operation itself reports it.
    if (owner === undefined || owner === actor.user) return
    const error = notYours(owned, owner)
    audit.refused(request, error)
    throw error
  }
}

const OWNED_PHRASES = {
  job: 'thing_job',
  dataset: 'thing_dataset',
  upload: 'thing_upload',
  study: 'thing_study',
  workflow: 'thing_workflow',
  workflow_run: 'thing_workflow_run',
  model: 'thing_model',
  alias: 'thing_alias',
  prediction: 'thing_prediction',
  follow_up: 'thing_follow_up',
  task: 'thing_task',
} as const satisfies Record<Owned, PhraseCode>

function notYours(owned: Owned, owner: string | null): AppError {
  const thing = [phrase(OWNED_PHRASES[owned])]
  return new AppError(
    'FORBIDDEN',
    owner === null ? phrase('has_no_owner', { thing }) : phrase('belongs_to', { thing, owner }),
  )
}
