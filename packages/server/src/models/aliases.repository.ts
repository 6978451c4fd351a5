import type { AliasMove } from '@medloom/contracts'
import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import { nextNumber } from '../database/counters.js'
import type { AliasMoveRow, Tables } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

/** The aliases that users set. Their history is only added to; the newest entry of an alias is its current state. */
export class AliasesRepository {
  constructor(private readonly database: Kysely<Tables>) {}

  /** Append to the history, unless the alias already names this model on this evidence. */
  async append(move: NewMove): Promise<AliasMove> {
    const current = await this.find(move.alias)
    if (current && states(current, move)) return current
    return this.database.transaction().execute(async (transaction) => {
      const row = { ...move, ...(await nextPlace(transaction, move.alias)) }
      await transaction.insertInto('alias_moves').values(row).execute()
      return { ...row, until: null }
    })
  }

  /** End every alias of a model that is removed. */
  async endAll(transaction: Transaction<Tables>, modelId: string): Promise<void> {
    for (const alias of (await this.namesOf([modelId], transaction)).get(modelId) ?? [])
      await transaction
        .insertInto('alias_moves')
        .values({ alias, note: 'model removed', ...(await nextPlace(transaction, alias)) })
        .execute()
  }

  /** The current entry of an alias, or the one that was current at a time; undefined: there was none. */
  async find(alias: string, at?: string): Promise<AliasMove | undefined> {
    let query = selectMoves(this.database).where('alias_moves.alias', '=', alias)
    if (at !== undefined) query = query.where('alias_moves.set_at', '<=', at)
    return query.orderBy('alias_moves.number', 'desc').limit(1).executeTakeFirst()
  }

  /** The aliases that name a model, in alphabetical order. */
  async list(): Promise<AliasMove[]> {
    return selectMoves(this.database)
      .where('alias_moves.model_id', 'is not', null)
      .where(isCurrent)
      .orderBy('alias_moves.alias')
      .execute()
  }

  /** Model id → its current aliases. */
  async namesOf(
    modelIds: readonly string[],
    connection: Kysely<Tables> = this.database,
  ): Promise<ReadonlyMap<string, string[]>> {
    const names = new Map<string, string[]>()
    if (modelIds.length === 0) return names
    const rows = await connection
      .selectFrom('alias_moves')
      .select(['alias', 'model_id'])
      .where('alias_moves.model_id', 'in', modelIds)
      .where(isCurrent)
      .orderBy('alias')
      .execute()
    for (const { alias, model_id } of rows)
      if (model_id !== null) names.set(model_id, [...(names.get(model_id) ?? []), alias])
    return names
  }

  async history(alias: string, size: number, token: string | undefined): Promise<Page<AliasMove>> {
    const before = readPageToken(token)
    let query = selectMoves(this.database)
      .where('alias_moves.alias', '=', alias)
      .orderBy('alias_moves.number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('alias_moves.number', '<', before)
    return toPage(await query.execute(), size)
  }

  /** User who first set the alias; undefined: nobody did. */
  async owner(alias: string): Promise<string | null | undefined> {
    const first = await this.database
      .selectFrom('alias_moves')
      .select('set_by')
      .where('alias', '=', alias)
      .orderBy('number')
      .limit(1)
      .executeTakeFirst()
    return first?.set_by
  }
}

type NewMove = Omit<AliasMoveRow, 'number' | 'set_at'>

/** Other processes that move this alias wait for the counter, so that the order of the numbers is that of the times. */
async function nextPlace(transaction: Transaction<Tables>, alias: string) {
  const number = await nextNumber(transaction, `alias:${alias}`)
  return { number, set_at: new Date().toISOString() }
}

const states = (current: AliasMove, move: NewMove) =>
  (['model_id', 'weights_digest', 'evaluation_id', 'note'] as const).every(
    (field) => current[field] === move[field],
  )

const isCurrent = (eb: ExpressionBuilder<Tables, 'alias_moves'>) =>
  eb('alias_moves.number', '=', (select) =>
    select
      .selectFrom('alias_moves as later')
      .whereRef('later.alias', '=', 'alias_moves.alias')
      .select((later) => later.fn.max('later.number').as('number')),
  )

function selectMoves(database: Kysely<Tables>) {
  return database
    .selectFrom('alias_moves')
    .selectAll('alias_moves')
    .select((eb) =>
      eb
        .selectFrom('alias_moves as next')
        .whereRef('next.alias', '=', 'alias_moves.alias')
        .whereRef('next.number', '>', 'alias_moves.number')
        .orderBy('next.number')
        .limit(1)
        .select('next.set_at')
        .as('until'),
    )
}
