import type { AuditEntry } from '@medloom/contracts'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import type { Tables } from '../../database/schema.js'
import { AppError } from '../../errors.js'
import type { Actor } from '../../security/actor.js'
import { AddressLimit } from '../../security/address-limit.js'
import type { AuditFilter, AuditRepository } from './audit.repository.js'

const DAY_MILLISECONDS = 24 * 3600 * 1000
/** Maximum number of logged refusals per address and minute. */
const REFUSED_PER_MINUTE = 10
const MAX_ID = 100

/** Completes the entry of successful work; with a transaction, the completion is stored in it, so that both are stored or neither. */
export type Audited = (response: unknown, transaction?: Transaction<Tables>) => Promise<void>

type Place = Pick<FastifyRequest, 'callerAddress' | 'id'>

/** Audit log. For a request it stores the operation, ids and outcome: nothing of the body, and no paths. */
export class AuditLog {
  readonly #refusals = new AddressLimit(REFUSED_PER_MINUTE)
  #endRemoval: () => void = () => undefined

  /** @param days after which entries are removed. */
  constructor(
    private readonly repository: AuditRepository,
    private readonly log: FastifyBaseLogger,
    private readonly days: number,
  ) {}

  /** Remove old entries, now and once a day. */
  start(): void {
    this.#endRemoval = repeatEvery(DAY_MILLISECONDS, () => this.#removeOld())
    void this.#removeOld()
  }

  close(): void {
    this.#endRemoval()
  }

  /**
   * Perform a change with its entry, which is written first. If the service ends meanwhile, the entry stays without an outcome. If the
   * whole change is one transaction, the entry is part of it: both are stored or neither.
   * @throws the error of the work, or of the database when the entry cannot be written: then nothing is done.
   */
  async carryOut<T>(
    operation: string,
    { actor, request, ids, status = 200, isAtomic = false }: AuditedWork,
    work: (audited: Audited) => Promise<T>,
  ): Promise<T> {
    const entry = entryOf(operation, actor, request, { ids })
    const number = isAtomic ? null : await this.repository.append(entry)
    const end = async (outcome: Outcome, transaction?: Transaction<Tables>) => {
      if (number === null) await this.repository.append({ ...entry, ...outcome }, transaction)
      else await this.repository.complete(number, outcome, transaction)
    }
    let completed = false
    const audited: Audited = async (response, transaction) => {
      await end({ outcome: status, code: null, ids: { ...ids, ...idsIn(response) } }, transaction)
      completed = true
    }
    try {
      const response = await work(audited)
      if (!completed) await this.#complete(() => audited(response))
      return response
    } catch (error) {
      const { http, code } = error instanceof AppError ? error : new AppError('INTERNAL', { english: '' })
      await this.#complete(() => end({ outcome: http, code, ids }))
      throw error
    }
  }

  /** Log a refused request. For an address that is refused repeatedly, only some entries are stored. */
  refused(request: FastifyRequest, { http, code }: AppError): void {
    const { callerAddress } = request
    if (this.#refusals.isLimited(callerAddress)) return
    this.#refusals.add(callerAddress)
    const { actor, params, routeOptions } = request
    const operation = routeOptions.config.operation ?? routeOptions.url ?? 'unknown'
    const ids = http === 403 ? idsIn(params) : {}
    this.repository
      .append({ ...entryOf(operation, actor, request, { ids }), outcome: http, code })
      .catch((error) =>
        this.log.warn({ err: error }, 'a rejected request could not be written to the audit log'),
      )
  }

  /** Log a login. @throws the error of the database: without an entry, the login is refused. */
  async loggedIn(request: FastifyRequest, actor: Actor): Promise<void> {
    await this.repository.append({ ...entryOf('login', actor, request, { ids: {} }), outcome: 200 })
  }

  async list(filter: AuditFilter, size: number, pageToken: string | undefined) {
    const { items, next_page_token } = await this.repository.list(filter, size, pageToken)
    return { entries: items, next_page_token }
  }

  /** The work counts as done even if its outcome cannot be stored. */
  async #complete(complete: () => Promise<void>): Promise<void> {
    await complete().catch((error) =>
      this.log.warn({ err: error }, 'the outcome of a change could not be written to the audit log'),
    )
  }

  async #removeOld(): Promise<void> {
    const before = new Date(Date.now() - this.days * DAY_MILLISECONDS).toISOString()
    await this.repository
      .removeBefore(before)
      .catch((error) => this.log.warn({ err: error }, 'old entries of the audit log could not be removed'))
  }
}

interface AuditedWork {
  readonly actor: Actor
  readonly request: Place
  readonly ids: Ids
  /** Status of the response when it succeeds. */
  readonly status?: number
  /** True if the whole change is in the transaction that `done` receives. */
  readonly isAtomic?: boolean
}
type Outcome = Pick<AuditEntry, 'outcome' | 'code' | 'ids'>
type Ids = Readonly<Record<string, string>>

function entryOf(
  operation: string,
  actor: Actor | null,
  { callerAddress, id }: Place,
  { ids }: { readonly ids: Ids },
): Omit<AuditEntry, 'number'> {
  return {
    created_at: new Date().toISOString(),
    user: actor?.user ?? null,
    token_id: actor?.token_id ?? null,
    operation,
    ids,
    outcome: null,
    code: null,
    address: callerAddress,
    request_id: id,
  }
}

/** Ids among the parameters of an address or the fields of a response, without any other text. */
export function idsIn(fields: unknown): Record<string, string> {
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      (name.endsWith('_id') || name === 'user') && typeof value === 'string'
        ? [[name, value.slice(0, MAX_ID)]]
        : [],
    ),
  )
}
