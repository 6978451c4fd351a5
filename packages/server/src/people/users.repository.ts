import { type Quotas, ROLES, type Role, type User } from '@medloom/contracts'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Connection, Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'

export interface QueueQuota {
  /** Maximum number of waiting jobs. */
  readonly most: number
  readonly waiting: number
  /** False: the share of a user without a quota, among several users. */
  readonly isOwn: boolean
}

/** Users with their quotas and the usage of these. */
export class UsersRepository {
  constructor(private readonly database: Database) {}

  async ensure(user: string, now: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction
      .insertInto('users')
      .values({ user_name: user, created_at: now })
      .onConflict((conflict) => conflict.column('user_name').doNothing())
      .execute()
  }

  /** @returns false when the user does not exist. */
  async setQuotas(user: string, quotas: Quotas): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable('users')
      .set(quotas)
      .where('user_name', '=', user)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Sorted by name. @param now ISO 8601: roles come from tokens that are valid at this time. */
  async list(now: string, user?: string): Promise<User[]> {
    let users = this.database.selectFrom('users').selectAll().orderBy('user_name')
    let tokens = this.database
      .selectFrom('tokens')
      .select(['user_name', 'role'])
      .distinct()
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    if (user !== undefined) {
      users = users.where('user_name', '=', user)
      tokens = tokens.where('user_name', '=', user)
    }
    const roles = await tokens.execute()
    const jobs = await this.#unfinished()
    return (await users.execute()).map(({ user_name, max_running_jobs, max_queued_jobs }) => ({
      user: user_name,
      role: highest(roles.filter((row) => row.user_name === user_name).map(({ role }) => role as Role)),
      ...{ max_running_jobs, max_queued_jobs },
      running_jobs: jobs.get(`${user_name} running`) ?? 0,
      queued_jobs: jobs.get(`${user_name} started`) ?? 0,
    }))
  }

  /** User → maximum number of running jobs; users without a limit are left out. */
  async runningQuotas(): Promise<Map<string, number>> {
    const rows = await this.database.reading
      .selectFrom('users')
      .select(['user_name', 'max_running_jobs'])
      .where('max_running_jobs', 'is not', null)
      .execute()
    return new Map(rows.map(({ user_name, max_running_jobs }) => [user_name, max_running_jobs ?? 0]))
  }

  /** User → number of their jobs that occupy a slot, as the scheduler counts them: including jobs whose trainer has not started yet. */
  async countRunning(users: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.reading
      .selectFrom('jobs')
      .select((select) => ['owner', select.fn.countAll<number>().as('count')])
      .where('owner', 'in', users)
      .where('status', 'in', ['running', 'started'])
      .where((where) => where.or([where('status', '=', 'running'), where('handle', 'is not', null)]))
      .groupBy('owner')
      .execute()
    return new Map(rows.map(({ owner, count }) => [owner ?? '', count]))
  }

  /** Returns true if there are other users than this one. */
  async hasOthers(user: string): Promise<boolean> {
    const { rows } = await sql<{ others: number }>`
      SELECT CASE WHEN ${others(user)} THEN 1 ELSE 0 END AS others
    `.execute(this.database.reading)
    return Number(rows[0]?.others) === 1
  }

  /**
   * Maximum and current number of waiting jobs of a user, in one query; null: there is no limit, and they are not counted.
   *
   * @param share limit for a user without a quota, if there are several users
   */
  async queueQuota(
    user: string,
    share: number,
    connection: Connection = this.database,
  ): Promise<QueueQuota | null> {
    const own = sql`(SELECT max_queued_jobs FROM users WHERE user_name = ${user})`
    const waiting = sql`(SELECT count(*) FROM jobs WHERE owner = ${user} AND status = 'started')`
    const { rows } = await sql<{ own: number | null; most: number | null; waiting: number | null }>`
      SELECT own, most, CASE WHEN most IS NULL THEN NULL ELSE ${waiting} END AS waiting
      FROM (
        SELECT ${own} AS own,
          COALESCE(${own}, CASE WHEN ${others(user)} THEN CAST(${share} AS integer) END) AS most
      ) AS quota
    `.execute(connection)
    const [row] = rows
    if (!row || row.most === null) return null
    return { most: Number(row.most), waiting: Number(row.waiting), isOwn: row.own !== null }
  }

  /** "user status" → number of jobs. */
  async #unfinished(): Promise<Map<string, number>> {
    const rows = await this.database
      .selectFrom('jobs')
      .select((select) => ['owner', 'status', select.fn.countAll<number>().as('count')])
      .where('owner', 'is not', null)
      .where('status', 'in', ['running', 'started'])
      .groupBy(['owner', 'status'])
      .execute()
    return new Map(rows.map(({ owner, status, count }) => [`${owner} ${status}`, count]))
  }
}

function others(user: string): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM users WHERE user_name <> ${user})`
}

function highest(roles: readonly Role[]): Role | null {
  return ROLES.findLast((role) => roles.includes(role)) ?? null
}
