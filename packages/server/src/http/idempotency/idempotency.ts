import { createHash } from 'node:crypto'
import { backoff, IdempotencyKey, phrase } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import { poll } from '../../concurrency/poll.js'
import type { Database } from '../../database/database.js'
import type { DatabaseServer } from '../../database/dialect.js'
import type { Tables } from '../../database/schema.js'
import { AppError } from '../../errors.js'
import { IdempotencyRepository } from './idempotency.repository.js'

/**
 * Stores the response under the request's Idempotency-Key, inside the transaction that does the work: both are stored or neither, so a
 * request that is repeated after a crash cannot do the work twice. Does nothing without a key.
 */
export type Remember = (transaction: Transaction<Tables>, response: unknown) => Promise<void>

export interface Idempotency {
  /**
   * Run `act` once per route, user and key. A repeated request gets the stored response; failures are not stored.
   * @throws AppError IDEMPOTENCY_CONFLICT if the user sent a different request with the key
   */
  once<T>(keyed: KeyedRequest, request: unknown, act: (remember: Remember) => Promise<T>): Promise<T>
}

export interface KeyedRequest {
  readonly route: string
  readonly key: string | undefined
  /** Each user has separate keys; null: the service has one user. */
  readonly user: string | null
}

const KEPT_HOURS = 7 * 24
/** Time between checks if another process has finished with a key. */
const FIRST_WAIT_MILLISECONDS = 20
const MAX_WAIT_MILLISECONDS = 500

export function createIdempotency(database: Database): Idempotency {
  const repository = new IdempotencyRepository(database)
  const active = new Map<string, { digest: string; response: Promise<unknown> }>()
  return {
    async once<T>(
      { route, key, user }: KeyedRequest,
      request: unknown,
      act: (remember: Remember) => Promise<T>,
    ): Promise<T> {
      if (key === undefined) return act(async () => {})
      if (!IdempotencyKey.safeParse(key).success)
        throw new AppError('INVALID_REQUEST', phrase('idempotency_key_length'), phrase('use_uuid'))
      const digest = digestOf(user === null ? request : { ...(request as object), user })
      const own = user === null ? key : `${user}\n${key}`
      const name = `${route} ${own}`
      const running = active.get(name)
      if (running) {
        if (running.digest !== digest) throw conflict()
        return (await running.response) as T
      }
      const response = alone(database.server, name, () =>
        recallOrAct(repository, { route, key: own, shared: key, digest }, act),
      )
      active.set(name, { digest, response })
      try {
        return await response
      } finally {
        active.delete(name)
      }
    },
  }
}

/**
 * Run `act` while no other process uses the same key: a concurrent request waits, and then finds the stored response. The lock ends with
 * the connection of its process.
 */
async function alone<T>(server: DatabaseServer | null, name: string, act: () => Promise<T>): Promise<T> {
  if (!server) return act()
  const tryLock = async () => ((await server.tryLock(name)) ? true : undefined)
  await poll(tryLock, { delay: backoff(FIRST_WAIT_MILLISECONDS, MAX_WAIT_MILLISECONDS) })
  try {
    return await act()
  } finally {
    // A lost connection has nothing left to unlock.
    void server.unlock(name).catch(() => undefined)
  }
}

async function recallOrAct<T>(
  repository: IdempotencyRepository,
  { route, key, shared, digest }: { route: string; key: string; shared: string; digest: string },
  act: (remember: Remember) => Promise<T>,
): Promise<T> {
  const stored = await repository.find(route, key)
  if (stored && stored.body_digest !== digest) throw conflict()
  // Earlier versions stored the responses of all users under the key without the user; the digest identifies the user.
  const earlier = stored || key === shared ? undefined : await repository.find(route, shared)
  const known = stored ?? (earlier?.body_digest === digest ? earlier : undefined)
  if (known) return JSON.parse(known.answer) as T
  let remembered = false
  const remember: Remember = async (transaction, response) => {
    const now = Date.now()
    await repository.removeBefore(new Date(now - KEPT_HOURS * 3_600_000).toISOString(), transaction)
    const created_at = new Date(now).toISOString()
    await repository.insert(
      { route, key, body_digest: digest, answer: JSON.stringify(response), created_at },
      transaction,
    )
    remembered = true
  }
  const response = await act(remember)
  if (!remembered) await repository.transaction((transaction) => remember(transaction, response))
  return response
}

function conflict(): AppError {
  return new AppError('IDEMPOTENCY_CONFLICT', phrase('idempotency_key_reused'))
}

/** Keys are sorted, so that the order in which a client writes them does not matter. */
function digestOf(request: unknown): string {
  return createHash('sha256')
    .update(
      JSON.stringify(request, (_key, value: unknown) =>
        value !== null && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
    )
    .digest('hex')
}
